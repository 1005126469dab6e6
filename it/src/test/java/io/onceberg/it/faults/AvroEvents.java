package io.onceberg.it.faults;

import io.onceberg.ingest.decode.RegistryAvroConverter;
import io.onceberg.it.registry.TestRegistry;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;

/**
 * Avro with a registry. It has two versions of its schemas and registers both at once, so that it
 * can go on writing while the registry is down.
 */
final class AvroEvents implements Shop.Encoding {
  private static final Schema KEY =
      SchemaBuilder.struct().name("shop.Key").field("id", Schema.INT64_SCHEMA).build();
  private static final Schema SOURCE =
      SchemaBuilder.struct()
          .name("shop.Source")
          .field("connector", Schema.STRING_SCHEMA)
          .field("snapshot", Schema.STRING_SCHEMA)
          .field("db", Schema.STRING_SCHEMA)
          .field("schema", Schema.STRING_SCHEMA)
          .field("table", Schema.STRING_SCHEMA)
          .field("txId", Schema.INT64_SCHEMA)
          .field("lsn", Schema.INT64_SCHEMA)
          .build();
  private static final Schema FIRST = envelope(row().build());
  private static final Schema SECOND =
      envelope(row().field("city", Schema.OPTIONAL_STRING_SCHEMA).build());

  private final String url;
  private final RegistryAvroConverter keys = new RegistryAvroConverter();
  private final RegistryAvroConverter values = new RegistryAvroConverter();
  private Schema current = FIRST;

  AvroEvents(TestRegistry registry) {
    this.url = registry.url();
    keys.configure(Map.of("schema.registry.url", url), true);
    values.configure(Map.of("schema.registry.url", url), false);
  }

  private static SchemaBuilder row() {
    return SchemaBuilder.struct()
        .name("shop.Value")
        .optional()
        .field("id", Schema.INT64_SCHEMA)
        .field("name", Schema.OPTIONAL_STRING_SCHEMA);
  }

  private static Schema envelope(Schema row) {
    return SchemaBuilder.struct()
        .name("shop.Envelope")
        .field("before", row)
        .field("after", row)
        .field("source", SOURCE)
        .field("op", Schema.STRING_SCHEMA)
        .field("ts_ms", Schema.OPTIONAL_INT64_SCHEMA)
        .build();
  }

  /** From now on rows have another column, in schemas that only the registry knows. */
  void alter() {
    current = SECOND;
  }

  @Override
  public byte[] key(String topic, long id) {
    return keys.fromConnectData(topic, KEY, new Struct(KEY).put("id", id));
  }

  @Override
  public byte[] value(String topic, long id, String table) {
    byte[] first = value(topic, id, table, FIRST);
    byte[] second = value(topic, id, table, SECOND);
    return current == FIRST ? first : second;
  }

  private byte[] value(String topic, long id, String table, Schema envelope) {
    Struct row = new Struct(envelope.field("after").schema()).put("id", id).put("name", "n" + id);
    if (envelope == SECOND) {
      row.put("city", "Rome");
    }
    Struct source =
        new Struct(SOURCE)
            .put("connector", "postgresql")
            .put("snapshot", "false")
            .put("db", "app")
            .put("schema", "public")
            .put("table", table)
            .put("txId", 7L)
            .put("lsn", id);
    Struct event =
        new Struct(envelope)
            .put("after", row)
            .put("source", source)
            .put("op", "c")
            .put("ts_ms", 1_700_000_000_123L);
    return values.fromConnectData(topic, envelope, event);
  }

  @Override
  public Map<String, String> settings() {
    String converter = "io.confluent.connect.avro.AvroConverter";
    return Map.of(
        "key.converter", converter,
        "key.converter.schema.registry.url", url,
        "value.converter", converter,
        "value.converter.schema.registry.url", url);
  }
}
