package io.onceberg.keystore;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes and reads the ledger as docs/ledger.md lays it down, version 1. */
final class LedgerCodec {
  static final String VERSION = "onceberg.ledger-version";
  static final String BATCH_ID = "onceberg.batch-id";
  static final String SOURCE_EPOCH = "onceberg.source-epoch";
  static final String OFFSETS = "onceberg.offsets";
  static final String PENDING = "onceberg.pending";
  static final String PROPERTY = "onceberg.ledger";

  private static final int CURRENT_VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  private LedgerCodec() {}

  /** The entries of a snapshot summary. */
  static Map<String, String> summary(LedgerEntry entry) {
    Map<String, String> summary = new LinkedHashMap<>();
    summary.put(VERSION, Integer.toString(CURRENT_VERSION));
    summary.put(BATCH_ID, entry.batch().toString());
    summary.put(SOURCE_EPOCH, Integer.toString(entry.ledger().sourceEpoch()));
    summary.put(OFFSETS, text(offsets(entry.ledger())));
    if (entry.pending() != null) {
      summary.put(PENDING, entry.pending());
    }
    return summary;
  }

  /** The value of the table property. */
  static String property(LedgerEntry entry) {
    ObjectNode node = JSON.createObjectNode();
    node.put("version", CURRENT_VERSION);
    node.put("batch-id", entry.batch().toString());
    node.put("source-epoch", entry.ledger().sourceEpoch());
    node.set("offsets", offsets(entry.ledger()));
    if (entry.pending() != null) {
      node.put("pending", entry.pending());
    }
    return text(node);
  }

  /**
   * Reads a snapshot summary; empty when the snapshot is another writer's.
   *
   * @throws OncebergException when it carries a ledger that cannot be read
   */
  static Optional<LedgerEntry> fromSummary(Map<String, String> summary) {
    String batch = summary.get(BATCH_ID);
    if (batch == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          entry(
              Integer.parseInt(required(summary.get(VERSION), VERSION)),
              batch,
              Integer.parseInt(required(summary.get(SOURCE_EPOCH), SOURCE_EPOCH)),
              JSON.readTree(required(summary.get(OFFSETS), OFFSETS)),
              summary.get(PENDING)));
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw unreadable("the summary of the snapshot of batch " + batch, e);
    }
  }

  /**
   * Reads the table property.
   *
   * @throws OncebergException when it cannot be read
   */
  static LedgerEntry fromProperty(String property) {
    try {
      JsonNode node = JSON.readTree(property);
      return entry(
          node.path("version").asInt(),
          node.path("batch-id").asText(),
          node.path("source-epoch").asInt(),
          node.path("offsets"),
          node.hasNonNull("pending") ? node.get("pending").asText() : null);
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw unreadable("table property " + PROPERTY, e);
    }
  }

  private static LedgerEntry entry(
      int version, String batch, int epoch, JsonNode offsets, @Nullable String pending) {
    if (version != CURRENT_VERSION) {
      throw new IllegalArgumentException("ledger version " + version + " is not known here");
    }
    if (!offsets.isArray()) {
      throw new IllegalArgumentException("offsets are not a list: " + offsets);
    }
    TreeMap<SourcePartition, SourceProgress> progress = new TreeMap<>();
    offsets.forEach(topic -> readTopic(topic, progress));
    return new LedgerEntry(new Ledger(BatchId.parse(batch), epoch, progress), pending);
  }

  private static void readTopic(JsonNode topic, Map<SourcePartition, SourceProgress> progress) {
    String name = topic.path("topic").asText();
    String id = topic.path("topic-id").asText();
    topic
        .path("next")
        .properties()
        .forEach(
            next -> {
              if (!next.getValue().isIntegralNumber()) {
                throw new IllegalArgumentException("not an offset: " + next);
              }
              progress.put(
                  new SourcePartition(name, Integer.parseInt(next.getKey())),
                  new SourceProgress(id, next.getValue().asLong()));
            });
  }

  private static ArrayNode offsets(Ledger ledger) {
    ArrayNode topics = JSON.createArrayNode();
    Map<TopicKey, ObjectNode> next = new LinkedHashMap<>();
    ledger
        .progress()
        .forEach(
            (partition, progress) ->
                next.computeIfAbsent(
                        new TopicKey(partition.topic(), progress.topicId()),
                        key -> addTopic(topics, key))
                    .put(Integer.toString(partition.partition()), progress.nextOffset()));
    return topics;
  }

  private static ObjectNode addTopic(ArrayNode topics, TopicKey key) {
    ObjectNode topic = topics.addObject();
    topic.put("topic", key.topic());
    topic.put("topic-id", key.topicId());
    return topic.putObject("next");
  }

  private static String text(JsonNode node) {
    try {
      return JSON.writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of plain values is always written", e);
    }
  }

  private static String required(@Nullable String value, String key) {
    if (value == null) {
      throw new IllegalArgumentException(key + " is absent");
    }
    return value;
  }

  private static OncebergException unreadable(String where, Exception cause) {
    return new OncebergException(
        ErrorCode.LEDGER_BROKEN,
        "the ledger in %s cannot be read (%s); roll the target's tables back to an earlier batch"
            .formatted(where, cause.getMessage()),
        cause);
  }

  private record TopicKey(String topic, String topicId) {}
}
