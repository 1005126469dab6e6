package io.onceberg.ingest.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConfigFileTest {
  @TempDir Path dir;

  @Test
  void valuesTakeTextFromTheEnvironmentAndFromFiles() throws Exception {
    Path secret = Files.writeString(dir.resolve("secret"), "s3cret\n");
    Path secrets = Files.writeString(dir.resolve("secrets"), "a=1\npassword=p$w\\\\d\n");
    Path file =
        file(
            "path=${env:PATH}",
            "whole=x-${file:" + secret + "}-y",
            "one=${file:" + secrets + ":password}",
            "name=käse");

    assertThat(ConfigFile.read(file))
        .isEqualTo(
            Map.of(
                "path",
                System.getenv("PATH"),
                "whole",
                "x-s3cret-y",
                "one",
                "p$w\\d",
                "name",
                "käse"));
  }

  @Test
  void whatIsNotThereIsNamed() throws Exception {
    assertThatThrownBy(() -> ConfigFile.read(dir.resolve("none.properties")))
        .hasMessageStartingWith("OB-104 ")
        .hasMessageContaining("none.properties");
    assertThatThrownBy(() -> ConfigFile.read(file("a=${env:ONCEBERG_NO_SUCH}")))
        .hasMessageStartingWith("OB-103 ")
        .hasMessageContaining("a in ")
        .hasMessageContaining("${env:ONCEBERG_NO_SUCH}");
    assertThatThrownBy(() -> ConfigFile.read(file("a=${file:" + dir + "/gone}")))
        .hasMessageStartingWith("OB-104 ");
    assertThatThrownBy(() -> ConfigFile.read(file("a=\\u12"))).hasMessageStartingWith("OB-104 ");
  }

  @Test
  void aNameSetTwiceIsRefused() {
    assertThatThrownBy(() -> ConfigFile.read(file("a=1", "b=2", "a=3")))
        .hasMessageStartingWith("OB-102 ")
        .hasMessageContaining("[a]");
  }

  private Path file(String... lines) throws Exception {
    return Files.writeString(dir.resolve("test.properties"), String.join("\n", lines));
  }
}
