package io.onceberg.it.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.debezium.data.Envelope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.storage.Converter;
import org.jspecify.annotations.Nullable;

/**
 * A stream of Debezium's records of one table, most of them sound, the others damaged in one of
 * many ways: in their schema, in their fields, in their bytes.
 */
final class RandomRecords {
  /** Key and value of one record. */
  record Bytes(byte @Nullable [] key, byte @Nullable [] value) {}

  private static final Schema SOURCE =
      SchemaBuilder.struct()
          .name("io.debezium.connector.postgresql.Source")
          .field("version", Schema.STRING_SCHEMA)
          .field("connector", Schema.STRING_SCHEMA)
          .field("name", Schema.STRING_SCHEMA)
          .field("ts_ms", Schema.INT64_SCHEMA)
          .field("snapshot", Schema.OPTIONAL_STRING_SCHEMA)
          .field("db", Schema.STRING_SCHEMA)
          .field("ts_us", Schema.OPTIONAL_INT64_SCHEMA)
          .field("schema", Schema.STRING_SCHEMA)
          .field("table", Schema.STRING_SCHEMA)
          .field("txId", Schema.OPTIONAL_INT64_SCHEMA)
          .field("lsn", Schema.OPTIONAL_INT64_SCHEMA)
          .build();
  private static final Schema KEY =
      SchemaBuilder.struct().name("s.p.t.Key").field("id", Schema.INT64_SCHEMA).build();
  private static final Schema LONG_KEY =
      SchemaBuilder.struct()
          .name("s.p.t.Key")
          .field("id", Schema.INT64_SCHEMA)
          .field("part", Schema.OPTIONAL_STRING_SCHEMA)
          .build();

  private final Random random;
  private final Encoding encoding;
  private final Wounds wounds;
  private final RandomTable table;
  private final Converter keys;
  private final Converter values;
  private final List<Bytes> before = new ArrayList<>();
  private long lsn = 1_000;

  RandomRecords(Random random, Encoding encoding, String registry) {
    this.random = random;
    this.encoding = encoding;
    this.wounds = new Wounds(random);
    List<String> names =
        encoding == Encoding.AVRO
            ? List.of("ID", "Id", "key", "lsn", "select", "element", "_x", "n".repeat(300))
            : Wounds.NAMES.stream().filter(RandomRecords::isName).toList();
    this.table = new RandomTable(random, names);
    this.keys = encoding.converter(registry, true);
    this.values = encoding.converter(registry, false);
  }

  /** Kafka's and Jackson's own writers refuse the others. */
  private static boolean isName(String name) {
    return !name.isEmpty() && UTF_8.newEncoder().canEncode(name);
  }

  Bytes next() {
    Bytes made = random.nextInt(12) == 0 && !before.isEmpty() ? wounds.one(before) : make();
    before.add(made);
    return made;
  }

  private Bytes make() {
    if (random.nextInt(10) == 0) {
      table.change();
    }
    long id = random.nextInt(50);
    Struct key = key(id);
    byte[] keyBytes = key == null ? null : bytes(keys, key);
    if (random.nextInt(15) == 0) {
      return new Bytes(keyBytes, null);
    }
    byte[] value = bytes(values, value(id));
    boolean sound = random.nextBoolean();
    if (!sound && random.nextInt(6) == 0 && keyBytes != null) {
      return new Bytes(hurt(keyBytes), value);
    }
    return new Bytes(keyBytes, sound ? value : hurt(value));
  }

  private @Nullable Struct key(long id) {
    return switch (random.nextInt(12)) {
      case 0 -> null;
      case 1 -> new Struct(LONG_KEY).put("id", id).put("part", "p");
      default -> new Struct(KEY).put("id", random.nextInt(20) == 0 ? id + 1 : id);
    };
  }

  private static byte[] bytes(Converter converter, Struct value) {
    return converter.fromConnectData("s.p.t", value.schema(), value);
  }

  private Struct value(long id) {
    if (random.nextInt(12) == 0) {
      return random.nextBoolean() ? table.row(id) : control();
    }
    Struct envelope = envelope(id);
    return random.nextInt(4) == 0 ? reshaped(envelope) : envelope;
  }

  private Struct control() {
    Schema schema =
        SchemaBuilder.struct()
            .name(
                wounds.one(
                    List.of(
                        "io.debezium.connector.common.Heartbeat",
                        "io.debezium.connector.postgresql.SchemaChangeValue",
                        "io.debezium.connector.common.TransactionMetadataValue")))
            .field("ts_ms", Schema.INT64_SCHEMA)
            .build();
    return new Struct(schema).put("ts_ms", 1L);
  }

  private Struct envelope(long id) {
    String op = wounds.one(List.of("c", "c", "c", "u", "u", "d", "r", "t", "m"));
    Struct source =
        new Struct(SOURCE)
            .put("version", "3.6.1.Final")
            .put("connector", "postgresql")
            .put("name", "s")
            .put("ts_ms", 1_700_000_000_000L)
            .put("db", "d")
            .put("ts_us", 1_700_000_000_000_000L)
            .put("schema", "p")
            .put("table", "t")
            .put("txId", lsn / 5)
            .put("lsn", lsn += random.nextInt(3));
    Envelope shape =
        Envelope.defineSchema()
            .withName("s.p.t.Envelope")
            .withRecord(table.row())
            .withSource(SOURCE)
            .build();
    Struct envelope =
        new Struct(shape.schema())
            .put("op", op)
            .put("source", source)
            .put("ts_ms", 1_700_000_000_456L);
    if ("cur".contains(op)) {
      envelope.put("after", table.row(id));
    }
    if ("ud".contains(op)) {
      envelope.put("before", table.row(id));
    }
    if (random.nextBoolean()) {
      Struct transaction = new Struct(shape.schema().field("transaction").schema());
      envelope.put(
          "transaction",
          transaction
              .put("id", "1")
              .put("total_order", lsn)
              .put("data_collection_order", (long) random.nextInt(3)));
    }
    return envelope;
  }

  /** The same struct with fields dropped, renamed, retyped or added, in its schema, too. */
  private Struct reshaped(Struct struct) {
    SchemaBuilder builder =
        SchemaBuilder.struct().name(random.nextInt(5) == 0 ? "Other" : struct.schema().name());
    Map<String, @Nullable Object> reshaped = new LinkedHashMap<>();
    for (Field field : struct.schema().fields()) {
      Object value = struct.get(field);
      switch (random.nextInt(14)) {
        case 0 -> {}
        case 1 -> reshaped.put(field.name(), table.leaf(builder, field.name()));
        case 2 -> {
          builder.field("other_" + field.name(), field.schema());
          reshaped.put("other_" + field.name(), value);
        }
        case 3, 4 -> {
          Struct inner =
              value instanceof Struct nested && nested.schema() != table.row()
                  ? reshaped(nested)
                  : null;
          builder.field(field.name(), inner == null ? field.schema() : inner.schema());
          reshaped.put(field.name(), inner == null ? value : inner);
        }
        default -> {
          builder.field(field.name(), field.schema());
          reshaped.put(field.name(), value);
        }
      }
    }
    Struct built = new Struct(builder.build());
    reshaped.forEach(built::put);
    return built;
  }

  private byte[] hurt(byte[] sound) {
    byte[] bytes = sound;
    if (encoding != Encoding.AVRO && random.nextInt(4) > 0) {
      Object document = Json.parse(sound);
      for (int i = random.nextInt(3); i >= 0; i--) {
        document = inPayload() ? inPayload(document) : wounds.wounded(document);
      }
      bytes = Json.bytes(document);
    } else {
      for (int i = random.nextInt(2); i >= 0; i--) {
        bytes = wounds.wounded(bytes);
      }
    }
    if (encoding == Encoding.AVRO && bytes.length > 4 && random.nextInt(10) == 0) {
      bytes = bytes.clone();
      bytes[4] = (byte) random.nextInt(40);
    }
    return bytes;
  }

  private boolean inPayload() {
    return encoding == Encoding.JSON_WITH_SCHEMA && random.nextInt(3) > 0;
  }

  private @Nullable Object inPayload(@Nullable Object document) {
    if (!(document instanceof Json.Fields fields)) {
      return wounds.wounded(document);
    }
    Json.Fields copy = new Json.Fields();
    for (Json.Field field : fields) {
      boolean payload = field.name().equals("payload");
      copy.with(field.name(), payload ? wounds.wounded(field.value()) : field.value());
    }
    return copy;
  }
}
