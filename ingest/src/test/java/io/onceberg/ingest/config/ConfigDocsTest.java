package io.onceberg.ingest.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class ConfigDocsTest {
  @Test
  void thePageInDocsIsWhatTheDefinitionsSay() throws Exception {
    Path page = Path.of("..", "docs", "configuration.md");
    if (Boolean.getBoolean("onceberg.golden.write")) {
      Files.writeString(page, ConfigDocs.markdown());
    }
    assertThat(page)
        .as("write it anew with -Donceberg.golden.write=true")
        .content()
        .isEqualTo(ConfigDocs.markdown());
  }
}
