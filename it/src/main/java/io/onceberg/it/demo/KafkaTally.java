package io.onceberg.it.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Counts the change events of one topic, all of them and those that differ. */
final class KafkaTally {
  private static final JsonFactory FACTORY = new ObjectMapper().getFactory();

  private final DemoTable table;
  private final Set<String> distinct = new HashSet<>();
  private long changeEvents;

  KafkaTally(DemoTable table) {
    this.table = table;
  }

  long changeEvents() {
    return changeEvents;
  }

  long distinctEvents() {
    return distinct.size();
  }

  void add(ConsumerRecord<byte[], byte[]> event) {
    JsonNode envelope = payload(event.value());
    if (envelope == null || envelope.path("op").isMissingNode()) {
      return; // a tombstone
    }
    changeEvents++;
    distinct.add(identity(envelope, payload(event.key())));
  }

  /** What makes an event the same event, worked out here independently of the daemon. */
  private String identity(JsonNode envelope, @Nullable JsonNode key) {
    if (table.events()) {
      return table.key().stream()
          .map(column -> envelope.path("after").path(column).toString())
          .toList()
          .toString();
    }
    String row =
        key == null ? envelope.path("before") + "/" + envelope.path("after") : key.toString();
    if (envelope.path("op").asText().equals("r")) {
      return "r/" + row + "/" + envelope.path("after");
    }
    JsonNode source = envelope.path("source");
    JsonNode order = envelope.path("transaction").path("data_collection_order");
    return String.join(
        "/",
        envelope.path("op").asText(),
        source.path("lsn").asText(),
        source.path("txId").asText(),
        key == null ? order.asText() : "",
        row);
  }

  /** The part of Connect's JSON that holds the data; the schema, most of the bytes, is skipped. */
  private static @Nullable JsonNode payload(byte @Nullable [] json) {
    if (json == null) {
      return null;
    }
    try (JsonParser parser = FACTORY.createParser(json)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean wanted = parser.currentName().equals("payload");
        parser.nextToken();
        if (wanted) {
          JsonNode payload = parser.readValueAsTree();
          return payload.isNull() ? null : payload;
        }
        parser.skipChildren();
      }
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(new String(json, StandardCharsets.UTF_8), e);
    }
  }
}
