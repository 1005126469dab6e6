package io.onceberg.it.demo;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.logging.log4j.core.config.Configurator;

/** The log of this program itself, while it shows something else on the terminal. */
public final class DemoLog {
  private static final String FILE = "onceberg.demo.log";

  private DemoLog() {}

  /** Everything that is logged in this process from now on goes to this file, nothing elsewhere. */
  public static void goesTo(Path file) {
    System.setProperty(FILE, file.toString());
    try {
      URI settings = Objects.requireNonNull(DemoLog.class.getResource("demo-log4j2.xml")).toURI();
      Configurator.reconfigure(settings);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
