package io.onceberg.it.bench.keys;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * The Avro schema of a Hudi table. Hudi 1.1.1 drops duplicates through its record-level index only
 * when it is told the schema, and fails with a null pointer otherwise. It must be that of the
 * records: the table's own, with null first in every union.
 */
final class HudiSchema {
  private static final String NULL = "null";

  private HudiSchema() {}

  static String of(Path table) {
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(table.resolve(".hoodie/hoodie.properties"))) {
      properties.load(in);
      String schema = properties.getProperty("hoodie.table.create.schema");
      return nullFirst(new ObjectMapper().readTree(schema)).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode nullFirst(JsonNode type) {
    if (type instanceof ArrayNode union) {
      ArrayNode sorted = JsonNodeFactory.instance.arrayNode().add(NULL);
      union.forEach(
          branch -> {
            if (!branch.asText().equals(NULL)) {
              sorted.add(nullFirst(branch));
            }
          });
      return sorted;
    }
    if (type instanceof ObjectNode named) {
      if (named.has("items")) {
        named.set("items", nullFirst(named.get("items")));
      }
      for (JsonNode field : named.path("fields")) {
        ((ObjectNode) field).set("type", nullFirst(field.get("type")));
        ((ObjectNode) field).putNull("default");
      }
    }
    return type;
  }
}
