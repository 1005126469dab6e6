package io.onceberg.it.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;

/**
 * Connect schemas as the Avro schemas that an Avro converter registers for them: named types keep
 * their name in {@code connect.name}, their version and parameters beside it; optional means a
 * union with null.
 */
final class AvroSchemas {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Set<String> named = new HashSet<>();

  private AvroSchemas() {}

  static Schema of(org.apache.kafka.connect.data.Schema schema) {
    return new Schema.Parser().parse(new AvroSchemas().plain(schema).toString());
  }

  private JsonNode type(org.apache.kafka.connect.data.Schema schema) {
    JsonNode plain = plain(schema);
    if (!schema.isOptional()) {
      return plain;
    }
    ArrayNode union = JSON.arrayNode();
    return schema.defaultValue() == null
        ? union.add("null").add(plain)
        : union.add(plain).add("null");
  }

  private JsonNode plain(org.apache.kafka.connect.data.Schema schema) {
    if (schema.type() == org.apache.kafka.connect.data.Schema.Type.STRUCT) {
      return record(schema);
    }
    String type =
        switch (schema.type()) {
          case INT32 -> "int";
          case INT64 -> "long";
          case FLOAT64 -> "double";
          case BOOLEAN -> "boolean";
          case STRING -> "string";
          case BYTES -> "bytes";
          default -> throw new IllegalArgumentException("no Avro type here for " + schema.type());
        };
    return schema.name() == null ? JSON.textNode(type) : logical(schema, type);
  }

  private static ObjectNode logical(org.apache.kafka.connect.data.Schema schema, String type) {
    ObjectNode node = JSON.objectNode().put("type", type);
    if (Decimal.LOGICAL_NAME.equals(schema.name())) {
      node.put("scale", Integer.parseInt(schema.parameters().get("scale")));
      node.put("precision", Integer.parseInt(schema.parameters().get("connect.decimal.precision")));
    }
    connectProperties(schema, node);
    if (Decimal.LOGICAL_NAME.equals(schema.name())) {
      node.put("logicalType", "decimal");
    }
    return node;
  }

  private JsonNode record(org.apache.kafka.connect.data.Schema schema) {
    String full = schema.name();
    if (!named.add(full)) {
      return JSON.textNode(full);
    }
    int dot = full.lastIndexOf('.');
    ObjectNode node = JSON.objectNode().put("type", "record").put("name", full.substring(dot + 1));
    if (dot > 0) {
      node.put("namespace", full.substring(0, dot));
    }
    ArrayNode fields = node.putArray("fields");
    for (Field field : schema.fields()) {
      ObjectNode added = fields.addObject().put("name", field.name());
      added.set("type", type(field.schema()));
      if (field.schema().defaultValue() != null) {
        added.put("default", field.schema().defaultValue().toString());
      } else if (field.schema().isOptional()) {
        added.putNull("default");
      }
    }
    connectProperties(schema, node);
    return node;
  }

  private static void connectProperties(
      org.apache.kafka.connect.data.Schema schema, ObjectNode node) {
    if (schema.version() != null) {
      node.put("connect.version", schema.version());
    }
    if (schema.parameters() != null) {
      ObjectNode parameters = node.putObject("connect.parameters");
      Map<String, String> sorted = new TreeMap<>(schema.parameters());
      sorted.forEach(parameters::put);
    }
    if (schema.defaultValue() != null) {
      node.put("connect.default", schema.defaultValue().toString());
    }
    node.put("connect.name", schema.name());
  }
}
