package io.onceberg.ingest.decode;

import io.debezium.connector.postgresql.data.Ltree;
import io.debezium.data.Bits;
import io.debezium.data.Json;
import io.debezium.data.TsVector;
import io.debezium.data.Uuid;
import io.debezium.data.VariableScaleDecimal;
import io.debezium.data.Xml;
import io.debezium.data.geometry.Geography;
import io.debezium.data.geometry.Geometry;
import io.debezium.data.geometry.Point;
import io.debezium.data.vector.DoubleVector;
import io.debezium.data.vector.FloatVector;
import io.debezium.data.vector.SparseDoubleVector;
import io.debezium.time.Interval;
import io.debezium.time.IsoDate;
import io.debezium.time.IsoTime;
import io.debezium.time.IsoTimestamp;
import io.debezium.time.MicroDuration;
import io.debezium.time.MicroTime;
import io.debezium.time.MicroTimestamp;
import io.debezium.time.NanoTime;
import io.debezium.time.NanoTimestamp;
import io.debezium.time.Year;
import io.debezium.time.ZonedTime;
import io.debezium.time.ZonedTimestamp;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;

/** One column of every type that Debezium's Postgres connector emits. */
final class Zoo {
  /**
   * One column.
   *
   * @param type the Iceberg type it must become
   * @param row the value that must stand in the row, as {@link Rows} reads it
   */
  record Animal(String name, Schema schema, Object value, String type, Object row) {
    @Override
    public String toString() {
      return name;
    }
  }

  private Zoo() {}

  static List<Animal> all() {
    List<Animal> zoo = new ArrayList<>();
    plain(zoo);
    decimals(zoo);
    times(zoo);
    named(zoo);
    nested(zoo);
    return zoo;
  }

  private static void add(
      List<Animal> zoo, String name, SchemaBuilder schema, Object value, String type, Object row) {
    zoo.add(new Animal(name, schema.optional().build(), value, type, row));
  }

  private static void plain(List<Animal> zoo) {
    add(zoo, "bool", SchemaBuilder.bool(), true, "boolean", true);
    add(zoo, "tiny", SchemaBuilder.int8(), (byte) -5, "int", -5);
    add(zoo, "int2", SchemaBuilder.int16(), (short) -32768, "int", -32768);
    add(zoo, "int4", SchemaBuilder.int32(), 2147483647, "int", 2147483647);
    add(zoo, "int8", SchemaBuilder.int64(), Long.MIN_VALUE, "long", Long.MIN_VALUE);
    add(zoo, "oid", SchemaBuilder.int64(), 4294967295L, "long", 4294967295L);
    add(zoo, "float4", SchemaBuilder.float32(), 0.1f, "float", 0.1f);
    add(zoo, "float8", SchemaBuilder.float64(), 1e300, "double", 1e300);
    add(
        zoo,
        "text",
        SchemaBuilder.string(),
        "a\"\\\n\t\u0001 é 日本 \uD83D\uDE00",
        "string",
        "a\"\\\n\t\u0001 é 日本 \uD83D\uDE00");
    add(zoo, "empty", SchemaBuilder.string(), "", "string", "");
    add(zoo, "inet", SchemaBuilder.string(), "10.0.0.0/8", "string", "10.0.0.0/8");
    add(zoo, "range", SchemaBuilder.string(), "[1,10)", "string", "[1,10)");
    add(zoo, "bytea", SchemaBuilder.bytes(), new byte[] {0, -1, 127}, "binary", "00ff7f");
    add(zoo, "bytea_empty", SchemaBuilder.bytes(), new byte[0], "binary", "");
    add(zoo, "bit1", SchemaBuilder.bool(), false, "boolean", false);
    add(zoo, "bit16", Bits.builder(16), new byte[] {1, 2}, "binary", "0102");
  }

  private static void decimals(List<Animal> zoo) {
    add(
        zoo,
        "dec_10_2",
        decimal(2, 10),
        new BigDecimal("-12345678.90"),
        "decimal(10, 2)",
        "-12345678.90");
    add(
        zoo,
        "dec_38_9",
        decimal(9, 38),
        new BigDecimal("12345678901234567890123456789.123456789"),
        "decimal(38, 9)",
        "12345678901234567890123456789.123456789");
    add(zoo, "dec_any_4", Decimal.builder(4), new BigDecimal("1.2345"), "decimal(38, 4)", "1.2345");
    add(zoo, "money", Decimal.builder(2), new BigDecimal("1234.50"), "decimal(38, 2)", "1234.50");
    add(
        zoo,
        "dec_neg_scale",
        decimal(-2, 5),
        new BigDecimal(new BigInteger("12345"), -2),
        "decimal(7, 0)",
        "1234500");
    add(zoo, "dec_small", decimal(5, 2), new BigDecimal("0.00012"), "decimal(5, 5)", "0.00012");
    add(
        zoo,
        "dec_deep",
        decimal(40, 50),
        new BigDecimal("1").movePointLeft(40),
        "string",
        "0.0000000000000000000000000000000000000001");
    add(
        zoo,
        "unsigned",
        decimal(0, 20),
        new BigDecimal("18446744073709551615"),
        "decimal(20, 0)",
        "18446744073709551615");
    add(
        zoo,
        "variable",
        VariableScaleDecimal.builder(),
        VariableScaleDecimal.fromLogical(
            VariableScaleDecimal.builder().optional().build(),
            new io.debezium.data.SpecialValueDecimal(new BigDecimal("3.14159"))),
        "decimal(38, 18)",
        "3.141590000000000000");
    add(zoo, "dec_double", SchemaBuilder.float64(), 12.5, "double", 12.5);
    add(zoo, "dec_string", SchemaBuilder.string(), "12.50", "string", "12.50");
  }

  private static SchemaBuilder decimal(int scale, int precision) {
    return Decimal.builder(scale).parameter("connect.decimal.precision", "" + precision);
  }

  private static void times(List<Animal> zoo) {
    add(zoo, "date", io.debezium.time.Date.builder(), 20596, "date", 20596);
    add(zoo, "date_bc", io.debezium.time.Date.builder(), -735_000, "date", -735_000);
    add(
        zoo,
        "date_connect",
        org.apache.kafka.connect.data.Date.builder(),
        Date.from(Instant.ofEpochSecond(20596L * 86400)),
        "date",
        20596);
    add(zoo, "date_iso", IsoDate.builder(), "2026-05-23Z", "date", 20596);
    add(zoo, "ts_ms", io.debezium.time.Timestamp.builder(), -1L, "timestamp", -1000L);
    add(zoo, "ts_epoch", MicroTimestamp.builder(), 0L, "timestamp", 0L);
    add(
        zoo,
        "ts_us",
        MicroTimestamp.builder(),
        253402300799999999L,
        "timestamp",
        253402300799999999L);
    add(
        zoo,
        "ts_ns",
        NanoTimestamp.builder(),
        1_700_000_000_000_123_000L,
        "timestamp",
        1_700_000_000_000_123L);
    add(
        zoo,
        "ts_connect",
        Timestamp.builder(),
        Date.from(Instant.ofEpochMilli(1_700_000_000_123L)),
        "timestamp",
        1_700_000_000_123_000L);
    add(
        zoo,
        "ts_iso",
        IsoTimestamp.builder(),
        "2026-05-23T10:00:00.5Z",
        "timestamp",
        1_779_530_400_500_000L);
    add(
        zoo,
        "tstz",
        ZonedTimestamp.builder(),
        "2026-05-23T10:00:00.123456Z",
        "timestamptz",
        1_779_530_400_123_456L);
    add(
        zoo,
        "tstz_offset",
        ZonedTimestamp.builder(),
        "2026-05-23T12:00:00+02:00",
        "timestamptz",
        1_779_530_400_000_000L);
    add(
        zoo,
        "tstz_bc",
        ZonedTimestamp.builder(),
        "-0043-03-15T00:00:00Z",
        "timestamptz",
        -63517824000000000L);
    add(zoo, "time_ms", io.debezium.time.Time.builder(), 37_800_120, "string", "10:30:00.12");
    add(zoo, "time_us", MicroTime.builder(), 37_800_000_001L, "string", "10:30:00.000001");
    add(zoo, "time_ns", NanoTime.builder(), 37_800_000_000_000L, "string", "10:30:00");
    add(zoo, "time_24", MicroTime.builder(), 86_400_000_000L, "string", "24:00:00");
    add(
        zoo,
        "time_connect",
        Time.builder(),
        Date.from(Instant.ofEpochMilli(37_800_120)),
        "string",
        "10:30:00.12");
    add(zoo, "time_iso", IsoTime.builder(), "10:30:00.12Z", "string", "10:30:00.12");
    add(zoo, "timetz", ZonedTime.builder(), "10:30:00Z", "string", "10:30:00Z");
    add(zoo, "interval", MicroDuration.builder(), -5L, "long", -5L);
    add(zoo, "interval_iso", Interval.builder(), "P1Y2M3DT4H5M6.7S", "string", "P1Y2M3DT4H5M6.7S");
    add(zoo, "year", Year.builder(), 2026, "int", 2026);
  }

  private static void named(List<Animal> zoo) {
    add(
        zoo,
        "uuid",
        Uuid.builder(),
        "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
        "uuid",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
    add(zoo, "json", Json.builder(), "{\"a\": [1, null]}", "string", "{\"a\": [1, null]}");
    add(zoo, "xml", Xml.builder(), "<a/>", "string", "<a/>");
    add(zoo, "ltree", Ltree.builder(), "Top.Science", "string", "Top.Science");
    add(zoo, "tsvector", TsVector.builder(), "'a':1", "string", "'a':1");
    add(zoo, "enum", io.debezium.data.Enum.builder("up,down"), "up", "string", "up");
  }

  private static void nested(List<Animal> zoo) {
    add(
        zoo,
        "ints",
        SchemaBuilder.array(Schema.OPTIONAL_INT32_SCHEMA),
        Arrays.asList(1, null, -3),
        "list<int>",
        Arrays.asList(1, null, -3));
    add(
        zoo,
        "texts",
        SchemaBuilder.array(Schema.OPTIONAL_STRING_SCHEMA),
        Arrays.asList("a", null, ""),
        "list<string>",
        Arrays.asList("a", null, ""));
    add(
        zoo,
        "bools",
        SchemaBuilder.array(Schema.OPTIONAL_BOOLEAN_SCHEMA),
        List.of(true, false),
        "list<boolean>",
        List.of(true, false));
    add(
        zoo,
        "decimals",
        SchemaBuilder.array(decimal(2, 10).optional().build()),
        List.of(new BigDecimal("1.50")),
        "list<decimal(10, 2)>",
        List.of("1.50"));
    add(
        zoo,
        "big_decimals",
        SchemaBuilder.array(decimal(2, 30).optional().build()),
        Arrays.asList(new BigDecimal("1.50"), null),
        "list<decimal(30, 2)>",
        Arrays.asList("1.50", null));
    add(
        zoo,
        "uuids",
        SchemaBuilder.array(Uuid.builder().optional().build()),
        List.of("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        "list<uuid>",
        List.of("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
    add(
        zoo,
        "dates",
        SchemaBuilder.array(io.debezium.time.Date.builder().optional().build()),
        List.of(0),
        "list<date>",
        List.of(0));
    add(
        zoo,
        "byteas",
        SchemaBuilder.array(Schema.OPTIONAL_BYTES_SCHEMA),
        List.of(new byte[] {1, 2}),
        "list<binary>",
        List.of("0102"));
    add(
        zoo,
        "none",
        SchemaBuilder.array(Schema.OPTIONAL_INT64_SCHEMA),
        List.of(),
        "list<long>",
        List.of());
    add(
        zoo,
        "hstore",
        SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.OPTIONAL_STRING_SCHEMA),
        Map.of("b", "2", "a", "1"),
        "map<string, string>",
        Map.of("a", "1", "b", "2"));
    Schema point = Point.builder().optional().build();
    zoo.add(
        new Animal(
            "point",
            point,
            Point.createValue(point, 1.5, -2),
            "struct<x double, y double, wkb binary, srid int>",
            Rows.of(
                "x",
                1.5,
                "y",
                -2.0,
                "wkb",
                "0101000000000000000000f83f00000000000000c0",
                "srid",
                null)));
    Schema geometry = Geometry.builder().optional().build();
    zoo.add(
        new Animal(
            "geometry",
            geometry,
            Geometry.createValue(geometry, new byte[] {1, 1}, 4326),
            "struct<wkb binary, srid int>",
            Rows.of("wkb", "0101", "srid", 4326)));
    Schema geography = Geography.builder().optional().build();
    zoo.add(
        new Animal(
            "geography",
            geography,
            Geography.createValue(geography, new byte[] {1}, 4326),
            "struct<wkb binary, srid int>",
            Rows.of("wkb", "01", "srid", 4326)));
    add(
        zoo,
        "vector",
        DoubleVector.builder(),
        List.of(0.5, -1.0),
        "list<double>",
        List.of(0.5, -1.0));
    add(zoo, "halfvec", FloatVector.builder(), List.of(0.5f), "list<float>", List.of(0.5f));
    Schema sparse = SparseDoubleVector.builder().optional().build();
    zoo.add(
        new Animal(
            "sparsevec",
            sparse,
            new Struct(sparse).put("dimensions", (short) 5).put("vector", Map.of((short) 3, 0.5)),
            "struct<dimensions int, vector map<int, double>>",
            Rows.of("dimensions", 5, "vector", Map.of(3, 0.5))));
  }
}
