package io.onceberg.ingest.decode;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetLayout;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.iceberg.types.Types;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What each kind of record turns out to be. */
class KindsTest {
  private static final DecodeSettings SETTINGS = Events.settings(true);
  private static final Schema KEY =
      SchemaBuilder.struct().name("Key").field("id", Schema.INT32_SCHEMA).build();
  private static final Schema ROW =
      Events.optional(
          "Value",
          b -> b.field("id", Schema.INT32_SCHEMA).field("n", Schema.OPTIONAL_STRING_SCHEMA));
  private static final Types.StructType KEY_COLUMNS =
      Types.StructType.of(Types.NestedField.optional(1, "id", Types.IntegerType.get()));
  private static final TargetLayout LAYOUT =
      new TargetLayout(
          Types.StructType.of(
              Types.NestedField.optional(1, "n", Types.StringType.get()),
              Types.NestedField.optional(2, "id", Types.IntegerType.get()),
              Types.NestedField.optional(3, "gone", Types.StringType.get())),
          KEY_COLUMNS);

  private static Struct row(int id, @Nullable String n) {
    return new Struct(ROW).put("id", id).put("n", n);
  }

  private static Struct key(int id) {
    return new Struct(KEY).put("id", id);
  }

  private static String text(UnsafeRow row) {
    return Rows.values(row, LAYOUT.columns()).toString();
  }

  private static ConsumerRecord<byte[], byte[]> json(@Nullable String key, @Nullable String value) {
    return Events.record(
        key == null ? null : key.getBytes(StandardCharsets.UTF_8),
        value == null ? null : value.getBytes(StandardCharsets.UTF_8));
  }

  private static void refused(Decoded decoded, ErrorCode code) {
    assertThat(decoded).isInstanceOf(Decoded.Refused.class);
    assertThat(((Decoded.Refused) decoded).code())
        .as(((Decoded.Refused) decoded).detail())
        .isEqualTo(code);
  }

  @ParameterizedTest
  @EnumSource(Paths.class)
  void rowsAreFilledByName(Paths path) {
    Struct change = Events.change("c", ROW, null, row(1, "a"));
    change.put(
        "transaction",
        new Struct(change.schema().field("transaction").schema())
            .put("id", "555:1")
            .put("total_order", 1L)
            .put("data_collection_order", 17L));
    Decoded.Change decoded =
        (Decoded.Change) path.decode(SETTINGS, LAYOUT, path.record(key(1), change));
    assertThat(text(decoded.columns())).isEqualTo("{n=a, id=1, gone=null}");
    assertThat(decoded.before()).isNull();
    assertThat(decoded.origin().ordinal()).isEqualTo(17L);
    assertThat(Rows.values(requireNonNull(decoded.origin().key()), KEY_COLUMNS))
        .hasToString("{id=1}");
    assertThat(decoded.origin().keyText()).hasToString("{\"id\":1}");
  }

  @ParameterizedTest
  @EnumSource(Paths.class)
  void aDeleteIsItsBefore(Paths path) {
    Struct change = Events.change("d", ROW, row(1, "a"), null);
    Decoded.Change keyed =
        (Decoded.Change) path.decode(SETTINGS, LAYOUT, path.record(key(1), change));
    assertThat(keyed.origin().op()).isEqualTo(Op.DELETE);
    assertThat(text(keyed.columns())).isEqualTo("{n=a, id=1, gone=null}");
    assertThat(keyed.before()).isNull();
    Decoded.Change keyless =
        (Decoded.Change) path.decode(SETTINGS, LAYOUT, path.record(null, change));
    assertThat(keyless.before()).isEqualTo(keyless.columns());
    assertThat(keyless.origin().key()).isNull();
  }

  @ParameterizedTest
  @EnumSource(Paths.class)
  void recordsWithoutKeyBringTheirBefore(Paths path) {
    Struct change = Events.change("u", ROW, row(1, "a"), row(1, "b"));
    Decoded.Change keyless =
        (Decoded.Change) path.decode(SETTINGS, LAYOUT, path.record(null, change));
    assertThat(text(requireNonNull(keyless.before()))).isEqualTo("{n=a, id=1, gone=null}");
    assertThat(text(keyless.columns())).isEqualTo("{n=b, id=1, gone=null}");
  }

  /** Found by the fuzzer: Avro's fast path made a row of nulls of it. */
  @ParameterizedTest
  @EnumSource(Paths.class)
  void anAfterThatIsNoStructIsRefused(Paths path) {
    Schema broken =
        SchemaBuilder.struct()
            .name("shop.public.orders.Envelope")
            .field("op", Schema.STRING_SCHEMA)
            .field("source", Events.SOURCE)
            .field("after", Schema.OPTIONAL_STRING_SCHEMA)
            .build();
    Struct value =
        new Struct(broken).put("op", "c").put("source", Events.source()).put("after", "a");
    refused(path.decode(SETTINGS, LAYOUT, path.record(key(1), value)), ErrorCode.UNDECODABLE);
  }

  /** Found by the fuzzer: JSON's fast path read parts of the source whatever their type. */
  @ParameterizedTest
  @EnumSource(Paths.class)
  void partsOfTheSourceCountByTheirDeclaredType(Paths path) {
    SchemaBuilder source = SchemaBuilder.struct().name("Source");
    Events.SOURCE
        .fields()
        .forEach(
            f -> source.field(f.name(), f.name().equals("db") ? Schema.BYTES_SCHEMA : f.schema()));
    Schema envelope =
        SchemaBuilder.struct()
            .name("shop.public.orders.Envelope")
            .field("op", Schema.STRING_SCHEMA)
            .field("source", source.build())
            .field("after", ROW)
            .build();
    Struct odd = new Struct(envelope.field("source").schema());
    Events.SOURCE
        .fields()
        .forEach(
            f ->
                odd.put(
                    f.name(),
                    f.name().equals("db") ? new byte[] {1, 2, 3} : Events.source().get(f)));
    Struct value = new Struct(envelope).put("op", "c").put("source", odd).put("after", row(1, "a"));
    Decoded.Change change =
        (Decoded.Change) path.decode(SETTINGS, LAYOUT, path.record(key(1), value));
    assertThat(change.origin().source()).hasToString("shop.public.orders");
  }

  // C7
  @ParameterizedTest
  @EnumSource(Paths.class)
  void aTruncateIsARowOfNulls(Paths path) {
    Struct change = Events.change("t", ROW, null, null);
    Decoded.Change decoded =
        (Decoded.Change) path.decode(SETTINGS, LAYOUT, path.record(null, change));
    assertThat(decoded.origin().op()).isEqualTo(Op.TRUNCATE);
    assertThat(decoded.origin().lsn()).isEqualTo(Events.LSN);
    assertThat(text(decoded.columns())).isEqualTo("{n=null, id=null, gone=null}");
  }

  // C1
  @Test
  void noValueIsATombstone() {
    assertThat(Events.decode(SETTINGS, LAYOUT, json("anything", null)))
        .isInstanceOf(Decoded.Tombstone.class);
    assertThat(Events.decode(SETTINGS, LAYOUT, json(null, "{\"schema\":null,\"payload\":null}")))
        .isInstanceOf(Decoded.Tombstone.class);
  }

  @ParameterizedTest
  @EnumSource(Paths.class)
  void controlRecordsAreToldByTheirSchemas(Paths path) {
    for (Map.Entry<String, ControlKind> kind :
        Map.of(
                "io.debezium.connector.common.Heartbeat", ControlKind.HEARTBEAT,
                "io.debezium.connector.postgresql.SchemaChangeValue", ControlKind.SCHEMA_CHANGE,
                "io.debezium.connector.common.TransactionMetadataValue", ControlKind.TRANSACTION)
            .entrySet()) {
      Schema schema =
          SchemaBuilder.struct().name(kind.getKey()).field("ts_ms", Schema.INT64_SCHEMA).build();
      Decoded decoded =
          path.decode(SETTINGS, LAYOUT, path.record(null, new Struct(schema).put("ts_ms", 1L)));
      assertThat(decoded).isEqualTo(new Decoded.Control(kind.getValue()));
    }
    Schema message =
        SchemaBuilder.struct()
            .name("io.debezium.connector.postgresql.MessageValue")
            .field("op", Schema.STRING_SCHEMA)
            .field("source", Events.SOURCE)
            .build();
    Struct value = new Struct(message).put("op", "m").put("source", Events.source());
    assertThat(path.decode(SETTINGS, LAYOUT, path.record(null, value)))
        .isEqualTo(new Decoded.Control(ControlKind.LOGICAL_MESSAGE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "__debezium-heartbeat.shop | {\"ts_ms\":1} | HEARTBEAT",
        "other | {\"ts_ms\":1} | HEARTBEAT",
        "shop.transaction | {\"status\":\"END\",\"id\":\"5\",\"event_count\":1} | TRANSACTION",
        "shop | {\"source\":{},\"databaseName\":\"d\",\"ddl\":\"create\"} | SCHEMA_CHANGE",
        "shop | {\"op\":\"m\",\"source\":{\"connector\":\"postgresql\"},\"message\":{}} | LOGICAL_MESSAGE"
      })
  void controlRecordsAreToldWithoutSchemas(String topic, String value, ControlKind kind) {
    ConsumerRecord<byte[], byte[]> record =
        Events.record(topic, null, value.getBytes(StandardCharsets.UTF_8));
    for (DecodeSettings settings : both(Events.settings(false))) {
      assertThat(Events.decode(settings, LAYOUT, record)).isEqualTo(new Decoded.Control(kind));
    }
  }

  /** A table may be named transaction, and have a status that ends. */
  @Test
  void aRowOfATableNamedTransactionIsARow() {
    DecodeSettings settings =
        Events.settings(TargetKind.EVENTS, NewColumns.APPEND, Events.jsonSettings(false));
    ConsumerRecord<byte[], byte[]> record =
        Events.record(
            "shop.public.transaction",
            null,
            "{\"id\":5,\"status\":\"END\"}".getBytes(StandardCharsets.UTF_8));
    for (DecodeSettings each : both(settings)) {
      assertThat(Events.decode(each, TargetLayout.EMPTY, record))
          .isInstanceOf(Decoded.NewSchema.class);
    }
  }

  private static DecodeSettings[] both(DecodeSettings fast) {
    return new DecodeSettings[] {fast, Events.slow(fast)};
  }

  // C8
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"''", "{", "[]", "12", "nonsense", "{\"a\":1}{", "{\"before\":1,\"after\":2}"})
  void bytesThatAreNoEventAreRefused(String value) {
    for (DecodeSettings settings : both(Events.settings(true))) {
      refused(Events.decode(settings, LAYOUT, json(null, value)), ErrorCode.UNDECODABLE);
    }
    if (!value.startsWith("{\"a\"")) {
      for (DecodeSettings settings : both(Events.settings(false))) {
        refused(Events.decode(settings, LAYOUT, json(null, value)), ErrorCode.UNDECODABLE);
      }
    }
  }

  @Test
  void avroIdsThatAreUnknownAreRefused() {
    byte[] unknown = {0, 0, 0, 127, 1, 0};
    byte[] other = {1, 0, 0, 0, 1};
    for (Paths path : new Paths[] {Paths.AVRO_STREAM, Paths.AVRO_CONVERTER}) {
      refused(
          path.decode(SETTINGS, LAYOUT, Events.record(null, unknown)), ErrorCode.UNKNOWN_SCHEMA_ID);
      refused(path.decode(SETTINGS, LAYOUT, Events.record(null, other)), ErrorCode.UNDECODABLE);
    }
  }

  @ParameterizedTest
  @EnumSource(Paths.class)
  void aRowWithoutEnvelopeIsAnEventOrNothing(Paths path) {
    Schema flat =
        SchemaBuilder.struct()
            .name("Value")
            .field("id", Schema.INT32_SCHEMA)
            .field("n", Schema.OPTIONAL_STRING_SCHEMA)
            .field("__op", Schema.OPTIONAL_STRING_SCHEMA)
            .field("__deleted", Schema.OPTIONAL_STRING_SCHEMA)
            .build();
    Struct row = new Struct(flat).put("id", 1).put("n", "a").put("__op", "u");
    refused(path.decode(SETTINGS, LAYOUT, path.record(key(1), row)), ErrorCode.FLATTENED_CHANGELOG);
    DecodeSettings events =
        Events.settings(TargetKind.EVENTS, NewColumns.APPEND, Events.jsonSettings(true));
    Decoded.Change update = (Decoded.Change) path.decode(events, LAYOUT, path.record(key(1), row));
    assertThat(update.origin().op()).isEqualTo(Op.UPDATE);
    assertThat(update.origin().source()).isNull();
    assertThat(update.origin().keyText()).hasToString("{\"id\":1}");
    assertThat(text(update.columns())).isEqualTo("{n=a, id=1, gone=null}");
    row.put("__deleted", "true");
    Decoded.Change delete = (Decoded.Change) path.decode(events, LAYOUT, path.record(key(1), row));
    assertThat(delete.origin().op()).isEqualTo(Op.DELETE);
  }

  @ParameterizedTest
  @EnumSource(Paths.class)
  void aChangelogKnowsPostgresOnly(Paths path) {
    Struct change = Events.change("c", ROW, null, row(1, "a"));
    change.getStruct("source").put("connector", "mysql");
    refused(
        path.decode(SETTINGS, LAYOUT, path.record(key(1), change)),
        ErrorCode.CONNECTOR_UNSUPPORTED);
    DecodeSettings events =
        Events.settings(TargetKind.EVENTS, NewColumns.APPEND, Events.jsonSettings(true));
    assertThat(path.decode(events, LAYOUT, path.record(key(1), change)))
        .isInstanceOf(Decoded.Change.class);
    change.getStruct("source").put("connector", "postgresql").put("lsn", null);
    refused(path.decode(SETTINGS, LAYOUT, path.record(key(1), change)), ErrorCode.NO_POSITION);
    change.put("op", "x");
    refused(path.decode(SETTINGS, LAYOUT, path.record(key(1), change)), ErrorCode.UNDECODABLE);
  }

  @ParameterizedTest
  @EnumSource(Paths.class)
  void newColumnsGoByPolicy(Paths path) {
    TargetLayout narrow =
        new TargetLayout(
            Types.StructType.of(Types.NestedField.optional(1, "id", Types.IntegerType.get())),
            KEY_COLUMNS);
    ConsumerRecord<byte[], byte[]> record =
        path.record(key(1), Events.change("c", ROW, null, row(1, "a")));
    Decoded.NewSchema append = (Decoded.NewSchema) path.decode(SETTINGS, narrow, record);
    assertThat(append.schema().columns().fieldType("n")).isEqualTo(Types.StringType.get());
    DecodeSettings ignore =
        Events.settings(TargetKind.CHANGELOG, NewColumns.IGNORE, Events.jsonSettings(true));
    Decoded.Change ignored = (Decoded.Change) path.decode(ignore, narrow, record);
    assertThat(Rows.values(ignored.columns(), narrow.columns())).hasToString("{id=1}");
    DecodeSettings fail =
        Events.settings(TargetKind.CHANGELOG, NewColumns.FAIL, Events.jsonSettings(true));
    refused(path.decode(fail, narrow, record), ErrorCode.SCHEMA_CHANGE_REFUSED);
    assertThat(path.decode(fail, TargetLayout.EMPTY, record)).isInstanceOf(Decoded.NewSchema.class);
    TargetLayout keyless = new TargetLayout(LAYOUT.columns(), null);
    Decoded.NewSchema keyed = (Decoded.NewSchema) path.decode(fail, keyless, record);
    assertThat(requireNonNull(keyed.schema().key()).fields()).hasSize(1);
    assertThat(path.decode(fail, LAYOUT, record)).isInstanceOf(Decoded.Change.class);
  }
}
