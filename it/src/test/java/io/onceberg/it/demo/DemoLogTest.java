package io.onceberg.it.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.ConsoleAppender;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class DemoLogTest {
  private static final Logger LOG = LoggerFactory.getLogger(DemoLogTest.class);

  @TempDir private Path directory;

  private final LoggerContext context = (LoggerContext) LogManager.getContext(false);
  private final @Nullable URI before = context.getConfigLocation();

  @AfterEach
  void backToTheConsole() {
    context.setConfigLocation(before);
  }

  @Test
  void whatIsLoggedGoesToTheFileAndNotToTheTerminal() throws IOException {
    Path file = directory.resolve("logs").resolve("demo.log");
    DemoLog.goesTo(file);
    LOG.info("the catalog is open");
    assertThat(Files.readString(file)).contains("INFO  DemoLogTest the catalog is open");
    assertThat(context.getConfiguration().getAppenders().values())
        .isNotEmpty()
        .noneMatch(ConsoleAppender.class::isInstance);
  }
}
