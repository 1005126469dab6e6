package io.onceberg.ingest.decode;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.debezium.connector.postgresql.PostgresValueConverter;
import io.debezium.data.Json;
import io.debezium.data.SpecialValueDecimal;
import io.debezium.data.Uuid;
import io.debezium.data.VariableScaleDecimal;
import io.debezium.time.MicroTimestamp;
import io.debezium.time.NanoTimestamp;
import io.debezium.time.ZonedTimestamp;
import io.onceberg.error.ErrorCode;
import io.onceberg.keystore.TargetLayout;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that must never land as something else. */
class ValuesTest {
  private static final DecodeSettings SETTINGS = Events.settings(true);

  private static TargetLayout table(Type column) {
    return new TargetLayout(Types.StructType.of(Types.NestedField.optional(1, "x", column)), null);
  }

  private static Decoded decode(
      Paths path, SchemaBuilder schema, @Nullable Object value, Type column) {
    return decode(SETTINGS, path, schema, value, column);
  }

  private static Decoded decode(
      DecodeSettings settings,
      Paths path,
      SchemaBuilder schema,
      @Nullable Object value,
      Type column) {
    Schema row = Events.optional("Value", b -> b.field("x", schema.optional().build()));
    Struct change = Events.change("c", row, null, new Struct(row).put("x", value));
    return path.decode(settings, table(column), path.record(null, change));
  }

  private static void refuses(Decoded decoded, ErrorCode code) {
    assertThat(decoded).isInstanceOf(Decoded.Refused.class);
    Decoded.Refused refused = (Decoded.Refused) decoded;
    assertThat(refused.code()).as(refused.detail()).isEqualTo(code);
    assertThat(refused.detail()).contains("column x");
    assertThat(refused.origin()).isNotNull();
    assertThat(requireNonNull(refused.origin()).lsn()).isEqualTo(Events.LSN);
  }

  private static @Nullable Object lands(Decoded decoded, Type column) {
    assertThat(decoded).isInstanceOf(Decoded.Change.class);
    return Rows.values(((Decoded.Change) decoded).columns(), table(column).columns()).get("x");
  }

  private static long micros(LocalDateTime time) {
    return time.toEpochSecond(ZoneOffset.UTC) * 1_000_000 + time.get(ChronoField.MICRO_OF_SECOND);
  }

  // C5
  @ParameterizedTest
  @EnumSource(Paths.class)
  void refusesInfinity(Paths path) {
    long micros = micros(PostgresValueConverter.POSITIVE_INFINITY_LOCAL_DATE_TIME);
    long negative = micros(PostgresValueConverter.NEGATIVE_INFINITY_LOCAL_DATE_TIME);
    Type timestamp = Types.TimestampType.withoutZone();
    for (long infinity : new long[] {micros, negative, Long.MAX_VALUE, Long.MIN_VALUE}) {
      refuses(
          decode(path, MicroTimestamp.builder(), infinity, timestamp),
          ErrorCode.VALUE_OUT_OF_RANGE);
    }
    for (long infinity : new long[] {micros / 1000, negative / 1000, micros, Long.MIN_VALUE}) {
      refuses(
          decode(path, io.debezium.time.Timestamp.builder(), infinity, timestamp),
          ErrorCode.VALUE_OUT_OF_RANGE);
    }
    for (String infinity : List.of("infinity", "-infinity", "")) {
      refuses(
          decode(path, ZonedTimestamp.builder(), infinity, Types.TimestampType.withZone()),
          ErrorCode.VALUE_OUT_OF_RANGE);
    }
    for (long infinity :
        new long[] {
          PostgresValueConverter.POSITIVE_INFINITY_LOCAL_DATE.toEpochDay(),
          PostgresValueConverter.NEGATIVE_INFINITY_LOCAL_DATE.toEpochDay(),
          Integer.MAX_VALUE,
          Integer.MIN_VALUE
        }) {
      refuses(
          decode(path, io.debezium.time.Date.builder(), (int) infinity, Types.DateType.get()),
          ErrorCode.VALUE_OUT_OF_RANGE);
    }
  }

  @ParameterizedTest
  @EnumSource(Paths.class)
  void refusesWhatIsFinerThanMicroseconds(Paths path) {
    Type timestamp = Types.TimestampType.withoutZone();
    refuses(decode(path, NanoTimestamp.builder(), 1_001L, timestamp), ErrorCode.VALUE_OUT_OF_RANGE);
    assertThat(lands(decode(path, NanoTimestamp.builder(), -1_000L, timestamp), timestamp))
        .isEqualTo(-1L);
    refuses(
        decode(
            path,
            ZonedTimestamp.builder(),
            "2026-05-23T10:00:00.1234567Z",
            Types.TimestampType.withZone()),
        ErrorCode.VALUE_OUT_OF_RANGE);
  }

  // C4
  @ParameterizedTest
  @EnumSource(Paths.class)
  void neverRoundsADecimal(Paths path) {
    Type narrow = Types.DecimalType.of(6, 2);
    DecodeSettings fixed =
        Events.settings(SETTINGS.kind(), NewColumns.IGNORE, SETTINGS.valueConverter());
    refuses(
        decode(fixed, path, Decimal.builder(2), new BigDecimal("12345.00"), narrow),
        ErrorCode.VALUE_OUT_OF_RANGE);
    Decoded fits = decode(fixed, path, Decimal.builder(2), new BigDecimal("1234.56"), narrow);
    assertThat(lands(fits, narrow)).isEqualTo("1234.56");
    Type variable = Types.DecimalType.of(38, 18);
    Schema schema = VariableScaleDecimal.builder().optional().build();
    for (String tooMuch : List.of("1e-19", "100000000000000000000", "1e900")) {
      Struct value =
          VariableScaleDecimal.fromLogical(
              schema, new SpecialValueDecimal(new BigDecimal(tooMuch)));
      refuses(
          decode(path, VariableScaleDecimal.builder(), value, variable),
          ErrorCode.VALUE_OUT_OF_RANGE);
    }
  }

  // C6
  @ParameterizedTest
  @EnumSource(Paths.class)
  void widensOrRefusesAChangedType(Paths path) {
    assertThat(
            lands(
                decode(path, SchemaBuilder.int32(), 5, Types.LongType.get()), Types.LongType.get()))
        .isEqualTo(5L);
    Type decimal = Types.DecimalType.of(20, 0);
    assertThat(lands(decode(path, SchemaBuilder.int64(), 5L, decimal), decimal)).isEqualTo("5");
    Type timestamp = Types.TimestampType.withZone();
    assertThat(
            lands(
                decode(path, SchemaBuilder.string(), "2026-05-23 10:00:00", timestamp), timestamp))
        .isEqualTo(1_779_530_400_000_000L);
    assertThat(
            lands(
                decode(path, SchemaBuilder.string(), "42", Types.IntegerType.get()),
                Types.IntegerType.get()))
        .isEqualTo(42);
    refuses(
        decode(path, SchemaBuilder.string(), "forty", Types.IntegerType.get()),
        ErrorCode.VALUE_OUT_OF_RANGE);
    refuses(
        decode(path, SchemaBuilder.int32(), 0, Types.StringType.get()),
        ErrorCode.INCOMPATIBLE_VALUE);
    assertThat(
            lands(
                decode(path, SchemaBuilder.int32(), null, Types.StringType.get()),
                Types.StringType.get()))
        .isNull();
    assertThat(decode(path, SchemaBuilder.int64(), 1L, Types.IntegerType.get()))
        .isInstanceOf(Decoded.NewSchema.class);
  }

  @ParameterizedTest
  @EnumSource(Paths.class)
  void incompatibleValuesStopWhereThePolicySaysSo(Paths path) {
    DecodeSettings stop =
        new DecodeSettings(
            SETTINGS.kind(),
            NewColumns.APPEND,
            DecodeSettings.Incompatible.STOP,
            true,
            Events.PLACEHOLDER,
            Map.of(),
            Map.of());
    Schema row = Events.optional("Value", b -> b.field("x", Schema.OPTIONAL_INT32_SCHEMA));
    Struct change = Events.change("c", row, null, new Struct(row).put("x", 1));
    refuses(
        path.decode(stop, table(Types.StringType.get()), path.record(null, change)),
        ErrorCode.SCHEMA_INCOMPATIBLE);
  }

  // C2
  @ParameterizedTest
  @EnumSource(Paths.class)
  void unchangedToastColumnsAreNullAndNamed(Paths path) {
    String text = Events.PLACEHOLDER;
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    List<Integer> ints = new ArrayList<>();
    List<Long> longs = new ArrayList<>();
    for (byte b : bytes) {
      ints.add((int) b);
      longs.add((long) b);
    }
    String uuid = UUID.nameUUIDFromBytes(bytes).toString();
    check(path, SchemaBuilder.string(), text);
    check(path, Json.builder(), text);
    check(path, SchemaBuilder.bytes(), bytes);
    check(path, SchemaBuilder.string(), Base64.getEncoder().encodeToString(bytes));
    check(path, SchemaBuilder.string(), Base64.getUrlEncoder().encodeToString(bytes));
    check(path, SchemaBuilder.string(), HexFormat.of().formatHex(bytes));
    check(path, Json.builder(), "{\"%s\":\"%s\"}".formatted(text, text));
    check(path, SchemaBuilder.array(Schema.OPTIONAL_STRING_SCHEMA), List.of(text));
    check(path, SchemaBuilder.array(Schema.OPTIONAL_INT32_SCHEMA), ints);
    check(path, SchemaBuilder.array(Schema.OPTIONAL_INT64_SCHEMA), longs);
    check(path, SchemaBuilder.array(Uuid.builder().optional().build()), List.of(uuid));
    check(
        path,
        SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.OPTIONAL_STRING_SCHEMA),
        Map.of(text, text));
    check(path, SchemaBuilder.array(Schema.OPTIONAL_BYTES_SCHEMA), List.of(bytes));
  }

  private static void check(Paths path, SchemaBuilder schema, Object placeholder) {
    Schema column = schema.optional().build();
    Schema row = Events.optional("Value", b -> b.field("x", column));
    Struct change = Events.change("u", row, null, new Struct(row).put("x", placeholder));
    Decoded decoded =
        path.decode(SETTINGS, table(ColumnTypes.of(column)), path.record(null, change));
    assertThat(decoded).isInstanceOf(Decoded.Change.class);
    assertThat(((Decoded.Change) decoded).columns().isNullAt(0)).isTrue();
    assertThat(((Decoded.Change) decoded).unavailable()).containsExactly("x");
  }

  // C3
  @Test
  void unsignedNumbersStayUnsigned() {
    String json =
        """
        {"before":null,"after":{"x":18446744073709551615},"op":"c","ts_ms":1,
         "source":{"connector":"postgresql","name":"s","db":"d","schema":"p","table":"t",
                   "lsn":18446744073709551615}}
        """;
    Type unsigned = Types.DecimalType.of(20, 0);
    DecodeSettings schemaless = Events.settings(false);
    var record = Events.record(null, json.getBytes(StandardCharsets.UTF_8));
    Decoded decoded = Events.decode(schemaless, table(unsigned), record);
    assertThat(lands(decoded, unsigned)).isEqualTo("18446744073709551615");
    assertThat(((Decoded.Change) decoded).origin().lsn()).isEqualTo(-1L);
    assertThat(Events.layoutFor(schemaless, record).columns().fieldType("x")).isEqualTo(unsigned);
    isOutOfRange(Events.decode(schemaless, table(Types.LongType.get()), record));
  }

  private static void isOutOfRange(Decoded decoded) {
    assertThat(decoded).isInstanceOf(Decoded.Refused.class);
    assertThat(((Decoded.Refused) decoded).code()).isEqualTo(ErrorCode.VALUE_OUT_OF_RANGE);
  }

  @Test
  void notANumberInJsonIsNotZero() {
    Type type = Types.DoubleType.get();
    Object value =
        lands(decode(Paths.JSON_STREAM, SchemaBuilder.float64(), Double.NaN, type), type);
    assertThat(value).isEqualTo(Double.NaN);
    assertThat(lands(decode(Paths.JSON_STREAM, SchemaBuilder.float64(), -0.0, type), type))
        .isEqualTo(-0.0);
  }
}
