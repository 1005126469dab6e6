package io.onceberg.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The list of what the daemon ships. Maven makes it only when it is online, as CI is. */
class BillOfMaterialsTest {
  private static final Path LIST = Path.of("../docker/bom/target/onceberg-bom.json");

  @Test
  void namesWhatTheDaemonShips() throws IOException {
    assumeTrue(Files.exists(LIST), "Maven is offline and makes no list");
    JsonNode list = new ObjectMapper().readTree(LIST.toFile());
    List<String> names = new ArrayList<>();
    list.path("components")
        .forEach(
            component -> {
              names.add(component.path("name").asText());
              assertThat(component.path("version").asText()).isNotEmpty();
            });
    assertThat(names)
        .contains(
            "kafka-clients",
            "spark-sql_2.13",
            "iceberg-spark-runtime-4.1_2.13",
            "iceberg-aws-bundle")
        .doesNotContain("junit-jupiter", "testcontainers");
    assertThat(list.path("serialNumber").isMissingNode()).as("the same bytes again").isTrue();
  }
}
