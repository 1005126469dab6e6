package io.onceberg.ingest.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetLayout;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** JSON where only the table and the values themselves say what a value is. */
class SchemalessJsonTest {
  private static final DecodeSettings SETTINGS = Events.settings(false);

  private static ConsumerRecord<byte[], byte[]> record(@Nullable String key, String row) {
    String value =
        """
        {"before":null,"after":%s,"source":{"connector":"postgresql","name":"s","db":"d",
         "schema":"p","table":"t","lsn":5,"txId":6},"op":"c","ts_ms":1}
        """
            .formatted(row);
    return Events.record(
        key == null ? null : key.getBytes(StandardCharsets.UTF_8),
        value.getBytes(StandardCharsets.UTF_8));
  }

  private static TargetLayout table(Type column) {
    return new TargetLayout(Types.StructType.of(Types.NestedField.optional(1, "x", column)), null);
  }

  @Test
  void infersColumnsFromValues() {
    TargetLayout layout =
        Events.layoutFor(
            SETTINGS,
            record(
                "{\"id\":1}",
                "{\"b\":true,\"i\":5,\"f\":1.5,\"t\":\"x\",\"o\":{\"a\":[1,2.50]},\"n\":null}"));
    assertThat(layout.columns())
        .hasToString(
            "struct<1: b: optional boolean, 2: i: optional long, 3: f: optional double,"
                + " 4: t: optional string, 5: o: optional string>");
    assertThat(layout.key()).hasToString("struct<1: id: optional long>");
    Decoded.Change change =
        (Decoded.Change)
            Events.decode(
                SETTINGS, layout, record("{\"id\":1}", "{\"o\":{\"a\":[1,2.50]},\"n\":null}"));
    assertThat(Rows.values(change.columns(), layout.columns()))
        .hasToString("{b=null, i=null, f=null, t=null, o={\"a\":[1,2.50]}}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "timestamptz | \"2026-05-23 10:00:00\" | 1779530400000000",
        "timestamptz | \"2026-05-23T12:00:00+02:00\" | 1779530400000000",
        "timestamp | 1779530400000000 | 1779530400000000",
        "timestamp | 1779530400000 | refused",
        "timestamp | \"2026-05-23T12:00:00+02:00\" | refused",
        "timestamp | \"infinity\" | refused",
        "date | 20596 | 20596",
        "date | \"2026-05-23\" | 20596",
        "date | 1779530400000 | refused",
        "int | 2147483648 | refused",
        "int | 10.0 | 10",
        "int | 10.5 | refused",
        "int | \"12\" | 12",
        "long | 9223372036854775808 | refused",
        "double | 3 | 3.0",
        "double | 9007199254740993 | refused",
        "double | \"NaN\" | NaN",
        "float | 0.1 | 0.1",
        "float | 0.12345678901 | refused",
        "decimal(10,2) | 12.34 | 12.34",
        "decimal(10,2) | 12.345 | refused",
        "decimal(38,18) | 12345678901234567890.123456789012345678 | 12345678901234567890.123456789012345678",
        "decimal(10,2) | \"12.34\" | 12.34",
        "decimal(10,2) | \"BAg=\" | 10.32",
        "decimal(10,2) | \"1234\" | refused",
        "binary | \"AQI=\" | 0102",
        "binary | \"no base64!\" | refused",
        "uuid | \"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11\" | a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "uuid | \"1-2-3-4-5\" | refused",
        "boolean | true | true",
        "string | \"x\" | x"
      })
  void coercesOnlyWhatIsCertain(String type, String value, String landed) {
    Type column = type.equals("timestamptz") ? Types.TimestampType.withZone() : parse(type);
    Decoded decoded =
        Events.decode(SETTINGS, table(column), record(null, "{\"x\":%s}".formatted(value)));
    if (decoded instanceof Decoded.Change change) {
      assertThat(String.valueOf(Rows.values(change.columns(), table(column).columns()).get("x")))
          .isEqualTo(landed);
    } else {
      assertThat(decoded).isInstanceOf(Decoded.Refused.class);
      assertThat(((Decoded.Refused) decoded).code()).isEqualTo(ErrorCode.VALUE_OUT_OF_RANGE);
      assertThat(landed).isEqualTo("refused");
    }
  }

  private static Type parse(String type) {
    return type.equals("timestamp")
        ? Types.TimestampType.withoutZone()
        : Types.fromPrimitiveString(type);
  }

  @Test
  void aNumberIsNoText() {
    Decoded decoded =
        Events.decode(SETTINGS, table(Types.StringType.get()), record(null, "{\"x\":5}"));
    assertThat(((Decoded.Refused) decoded).code()).isEqualTo(ErrorCode.INCOMPATIBLE_VALUE);
  }

  @Test
  void repeatedFieldsCountOnceAndLast() {
    TargetLayout layout = table(Types.IntegerType.get());
    Decoded.Change change =
        (Decoded.Change)
            Events.decode(SETTINGS, layout, record(null, "{\"x\":99999999999,\"x\":1}"));
    assertThat(change.columns().getInt(0)).isEqualTo(1);
    change = (Decoded.Change) Events.decode(SETTINGS, layout, record(null, "{\"x\":1,\"x\":null}"));
    assertThat(change.columns().isNullAt(0)).isTrue();
  }

  @Test
  void rowsWithoutEnvelopeFeedEventsOnly() {
    DecodeSettings events =
        Events.settings(TargetKind.EVENTS, NewColumns.APPEND, Events.jsonSettings(false));
    TargetLayout layout = table(Types.LongType.get());
    ConsumerRecord<byte[], byte[]> row =
        Events.record(
            "\"k\"".getBytes(StandardCharsets.UTF_8),
            "{\"x\":1,\"__op\":\"u\"}".getBytes(StandardCharsets.UTF_8));
    try (EventDecoder decoder = Decoders.open(events, layout)) {
      for (int i = 0; i < 2; i++) {
        Decoded.Change change = (Decoded.Change) decoder.decode(row);
        assertThat(change.origin().op()).isEqualTo(Op.UPDATE);
        assertThat(change.origin().keyText()).hasToString("\"k\"");
        assertThat(change.columns().getLong(0)).isEqualTo(1);
        assertThat(decoder.decode(record(null, "{\"x\":2}"))).isInstanceOf(Decoded.Change.class);
      }
    }
    Decoded refused = Events.decode(SETTINGS, layout, row);
    assertThat(((Decoded.Refused) refused).code()).isEqualTo(ErrorCode.FLATTENED_CHANGELOG);
  }

  // C9
  @Test
  void wideRowsLongFieldsAndOddNames() {
    StringBuilder json = new StringBuilder("{\"a.b c\":1,\"select\":2,\"Id\":3,\"id\":4");
    for (int i = 0; i < 1_000; i++) {
      json.append(",\"c").append(i).append("\":").append(i);
    }
    json.append(",\"long\":\"").append("x".repeat(10_000_000)).append("\"}");
    ConsumerRecord<byte[], byte[]> record = record(null, json.toString());
    TargetLayout layout = Events.layoutFor(SETTINGS, record);
    assertThat(layout.columns().fields()).hasSize(1_005);
    Decoded.Change change = (Decoded.Change) Events.decode(SETTINGS, layout, record);
    assertThat(change.columns().getLong(0)).isEqualTo(1);
    assertThat(change.columns().getLong(2)).isEqualTo(3);
    assertThat(change.columns().getLong(3)).isEqualTo(4);
    assertThat(change.columns().getLong(1_003)).isEqualTo(999);
    assertThat(change.columns().getUTF8String(1_004).numBytes()).isEqualTo(10_000_000);
  }

  /** A row, an envelope, and nothing at all, before each record. */
  @ParameterizedTest
  @EnumSource(TargetKind.class)
  void whatARecordIsDoesNotDependOnTheOneBefore(TargetKind kind) {
    DecodeSettings settings = Events.settings(kind, NewColumns.IGNORE, Events.jsonSettings(false));
    TargetLayout layout =
        new TargetLayout(
            Types.StructType.of(
                Types.NestedField.optional(1, "x", Types.LongType.get()),
                Types.NestedField.optional(2, "op", Types.StringType.get()),
                Types.NestedField.optional(3, "source", Types.StringType.get()),
                Types.NestedField.optional(4, "ts_ms", Types.LongType.get())),
            null);
    for (String json :
        List.of(
            "{\"before\":null,\"after\":null}",
            "{\"before\":null,\"after\":null,\"x\":1}",
            "{\"before\":null,\"source\":null}",
            "{\"ts_ms\":5}",
            "{\"ts_ms\":5,\"x\":1}",
            "{\"op\":\"c\",\"x\":1}",
            "{\"source\":{\"a\":1},\"x\":2}",
            "{\"op\":\"c\",\"source\":{\"connector\":\"postgresql\",\"lsn\":1}}",
            "{\"op\":\"c\",\"source\":{\"connector\":\"postgresql\",\"lsn\":1},\"after\":{\"x\":1}}",
            "{\"ddl\":null,\"source\":null,\"databaseName\":null}",
            "{\"source\":5,\"x\":1}",
            "{\"source\":5,\"op\":\"c\",\"x\":1}",
            "{\"op\":\"c\",\"source\":{\"connector\":\"postgresql\",\"lsn\":1},\"after\":5}",
            "{\"x\":\"no number\"}",
            "{}")) {
      Set<String> outcomes = new TreeSet<>();
      for (String before : List.of("{\"x\":1}", "", text(record(null, "{\"x\":1}")))) {
        try (EventDecoder decoder = Decoders.open(settings, layout)) {
          if (!before.isEmpty()) {
            decoder.decode(plain(before));
          }
          outcomes.add(outcome(decoder.decode(plain(json)), layout));
        }
      }
      assertThat(outcomes).as(json).hasSize(1);
    }
  }

  private static ConsumerRecord<byte[], byte[]> plain(String json) {
    return Events.record(null, json.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(ConsumerRecord<byte[], byte[]> record) {
    return new String(record.value(), StandardCharsets.UTF_8);
  }

  private static String outcome(Decoded decoded, TargetLayout layout) {
    if (decoded instanceof Decoded.Refused refused) {
      return "refused " + refused.code();
    }
    if (decoded instanceof Decoded.Change change) {
      return change.origin().op() + " " + Rows.values(change.columns(), layout.columns());
    }
    return decoded instanceof Decoded.Control control
        ? "control " + control.kind()
        : decoded.getClass().getSimpleName();
  }
}
