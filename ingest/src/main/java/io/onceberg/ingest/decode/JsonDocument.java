package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Function;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.json.JsonConverter;
import org.jspecify.annotations.Nullable;

/**
 * JSON documents of the form {@code {"schema":...,"payload":...}}.
 *
 * <p>The schema is most of such a document, and byte for byte the same in all records of a table.
 * The bytes before the payload are therefore kept with what was planned for their schema, and a
 * record that starts with the same bytes is read from its payload on. A payload found so is trusted
 * only when the document ends right after it; otherwise the whole document is read.
 *
 * @param <P> what is planned for a schema
 */
final class JsonDocument<P> {
  private static final int KEPT = 32;
  private static final byte[] NO_PREFIX = {};

  private record Known<P>(byte[] prefix, P plan) {}

  /** Where the payload of a document lies, and its plan; a null payload has length 0. */
  record Payload<P>(P plan, int from, int length) {}

  private final JsonConverter schemas;
  private final Function<Schema, P> planner;
  private final Known<P>[] known;
  private int size;

  JsonDocument(JsonConverter schemas, Function<Schema, P> planner) {
    this.schemas = schemas;
    this.planner = planner;
    @SuppressWarnings({"unchecked", "rawtypes"}) // no generic arrays
    Known<P>[] none = new Known[KEPT];
    this.known = none;
  }

  /** The plan of a document that starts like one before; the payload begins at the result. */
  @Nullable Payload<P> recognise(byte[] json) {
    for (int i = 0; i < size; i++) {
      byte[] prefix = known[i].prefix;
      int from = prefix.length;
      if (json.length > from
          && json[from] == '{'
          && Arrays.mismatch(prefix, 0, from, json, 0, from) < 0) {
        if (i > 0) {
          toFront(i);
        }
        return new Payload<>(known[0].plan, from, json.length - from);
      }
    }
    return null;
  }

  /** Whether nothing but the document's end follows the payload that ends before {@code at}. */
  static boolean endsAt(byte[] json, int at) {
    int i = at;
    while (i < json.length
        && (json[i] == ' ' || json[i] == '\n' || json[i] == '\r' || json[i] == '\t')) {
      i++;
    }
    return i < json.length && json[i] == '}';
  }

  /** Reads the whole document; null when there is no schema and no payload in it. */
  Payload<P> read(byte[] json) throws IOException {
    JsonNode schema = null;
    int from = -1;
    int length = 0;
    boolean payloadNull = false;
    boolean schemaFirst = false;
    try (JsonParser parser = JsonTokens.parser(json, 0, json.length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw noSchema();
      }
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        JsonToken token = parser.nextToken();
        switch (name) {
          case "schema" -> {
            schemaFirst = from < 0 && schema == null;
            schema = parser.readValueAsTree();
          }
          case "payload" -> {
            schemaFirst = schemaFirst && from < 0;
            from = (int) parser.currentTokenLocation().getByteOffset();
            payloadNull = token == JsonToken.VALUE_NULL;
            skip(parser, token);
            length = (int) parser.currentLocation().getByteOffset() - from;
          }
          default -> throw noSchema();
        }
      }
    }
    if (from < 0 || schema == null) {
      throw noSchema();
    }
    if (schema.isNull()) {
      if (!payloadNull) {
        throw RefusedValue.undecodable("the document's schema is null");
      }
      return new Payload<>(planner.apply(Schema.OPTIONAL_STRING_SCHEMA), from, 0);
    }
    P plan = planner.apply(connectSchema(schema));
    if (schemaFirst && json[from] == '{') {
      remember(Arrays.copyOf(json, from), plan);
    }
    return new Payload<>(plan, from, payloadNull ? 0 : length);
  }

  private static void skip(JsonParser parser, JsonToken token) throws IOException {
    if (token.isScalarValue()) {
      parser.getTextLength();
    } else {
      parser.skipChildren();
    }
  }

  private Schema connectSchema(JsonNode schema) {
    try {
      Schema known = schemas.asConnectSchema(schema);
      if (known == null) {
        throw noSchema();
      }
      return known;
    } catch (DataException e) {
      throw RefusedValue.undecodable("the document's schema: " + e.getMessage());
    }
  }

  private static RefusedValue noSchema() {
    return RefusedValue.undecodable(
        "not a document of \"schema\" and \"payload\"; for JSON without schemas set"
            + " schemas.enable=false");
  }

  private void remember(byte[] prefix, P plan) {
    size = Math.min(size + 1, KEPT);
    System.arraycopy(known, 0, known, 1, size - 1);
    known[0] = new Known<>(prefix.length == 0 ? NO_PREFIX : prefix, plan);
  }

  private void toFront(int index) {
    Known<P> found = known[index];
    System.arraycopy(known, 0, known, 1, index);
    known[0] = found;
  }
}
