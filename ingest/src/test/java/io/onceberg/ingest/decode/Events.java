package io.onceberg.ingest.decode;

import io.debezium.data.Envelope;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetLayout;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.storage.Converter;
import org.jspecify.annotations.Nullable;

/** Change events made with Debezium's own schema classes, and decoders for them. */
final class Events {
  static final String TOPIC = "shop.public.orders";
  static final String PLACEHOLDER = "__debezium_unavailable_value";
  static final long LSN = 24_023_128L;

  static final Schema SOURCE =
      SchemaBuilder.struct()
          .name("io.debezium.connector.postgresql.Source")
          .field("version", Schema.STRING_SCHEMA)
          .field("connector", Schema.STRING_SCHEMA)
          .field("name", Schema.STRING_SCHEMA)
          .field("ts_ms", Schema.INT64_SCHEMA)
          .field("snapshot", Schema.OPTIONAL_STRING_SCHEMA)
          .field("db", Schema.STRING_SCHEMA)
          .field("sequence", Schema.OPTIONAL_STRING_SCHEMA)
          .field("ts_us", Schema.OPTIONAL_INT64_SCHEMA)
          .field("ts_ns", Schema.OPTIONAL_INT64_SCHEMA)
          .field("schema", Schema.STRING_SCHEMA)
          .field("table", Schema.STRING_SCHEMA)
          .field("txId", Schema.OPTIONAL_INT64_SCHEMA)
          .field("lsn", Schema.OPTIONAL_INT64_SCHEMA)
          .field("xmin", Schema.OPTIONAL_INT64_SCHEMA)
          .build();

  private Events() {}

  static Struct source() {
    return new Struct(SOURCE)
        .put("version", "3.6.1.Final")
        .put("connector", "postgresql")
        .put("name", "shop")
        .put("ts_ms", 1_700_000_000_000L)
        .put("snapshot", "false")
        .put("db", "postgres")
        .put("sequence", "[\"24023119\",\"24023128\"]")
        .put("ts_us", 1_700_000_000_000_123L)
        .put("ts_ns", 1_700_000_000_000_123_000L)
        .put("schema", "public")
        .put("table", "orders")
        .put("txId", 555L)
        .put("lsn", LSN);
  }

  static Envelope envelope(Schema row) {
    return Envelope.defineSchema()
        .withName("shop.public.orders.Envelope")
        .withRecord(row)
        .withSource(SOURCE)
        .build();
  }

  static Schema optional(String name, Consumer<SchemaBuilder> fields) {
    SchemaBuilder builder = SchemaBuilder.struct().optional().name(name);
    fields.accept(builder);
    return builder.build();
  }

  /** An envelope of any operation. */
  static Struct change(String op, Schema row, @Nullable Struct before, @Nullable Struct after) {
    return new Struct(envelope(row).schema())
        .put("op", op)
        .put("before", before)
        .put("after", after)
        .put("source", source())
        .put("ts_ms", 1_700_000_000_456L)
        .put("ts_us", 1_700_000_000_456_789L)
        .put("ts_ns", 1_700_000_000_456_789_000L);
  }

  static byte[] bytes(Converter converter, Struct value) {
    return converter.fromConnectData(TOPIC, value.schema(), value);
  }

  static JsonConverter json(boolean schemas, boolean key) {
    JsonConverter converter = new JsonConverter();
    converter.configure(
        Map.of("schemas.enable", String.valueOf(schemas), "replace.null.with.default", "false"),
        key);
    return converter;
  }

  static Map<String, String> jsonSettings(boolean schemas) {
    return Map.of(
        "converter",
        JsonConverter.class.getName(),
        "schemas.enable",
        String.valueOf(schemas),
        "replace.null.with.default",
        "false");
  }

  static DecodeSettings settings(boolean schemas) {
    return settings(TargetKind.CHANGELOG, NewColumns.APPEND, jsonSettings(schemas));
  }

  static DecodeSettings settings(
      TargetKind kind, NewColumns newColumns, Map<String, String> converter) {
    return new DecodeSettings(
        kind,
        newColumns,
        DecodeSettings.Incompatible.QUARANTINE,
        true,
        PLACEHOLDER,
        converter,
        converter);
  }

  static DecodeSettings slow(DecodeSettings fast) {
    return new DecodeSettings(
        fast.kind(),
        fast.newColumns(),
        fast.incompatible(),
        false,
        fast.unavailablePlaceholder(),
        new HashMap<>(fast.keyConverter()),
        new HashMap<>(fast.valueConverter()));
  }

  static ConsumerRecord<byte[], byte[]> record(byte @Nullable [] key, byte @Nullable [] value) {
    return record(TOPIC, key, value);
  }

  @SuppressWarnings("NullAway") // Kafka's records have null keys and values
  static ConsumerRecord<byte[], byte[]> record(
      String topic, byte @Nullable [] key, byte @Nullable [] value) {
    return new ConsumerRecord<>(topic, 0, 0, key, value);
  }

  static Decoded decode(
      DecodeSettings settings, TargetLayout layout, ConsumerRecord<byte[], byte[]> record) {
    try (EventDecoder decoder = Decoders.open(settings, layout)) {
      return decoder.decode(record);
    }
  }

  /** The layout that a first record asks for. */
  static TargetLayout layoutFor(DecodeSettings settings, ConsumerRecord<byte[], byte[]> record) {
    Decoded decoded = decode(settings, TargetLayout.EMPTY, record);
    if (decoded instanceof Decoded.NewSchema found) {
      return new TargetLayout(found.schema().columns(), found.schema().key());
    }
    throw new AssertionError("no new schema but " + decoded);
  }
}
