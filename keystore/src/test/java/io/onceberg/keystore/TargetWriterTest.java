package io.onceberg.keystore;

import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TargetWriterTest {
  private static final Types.StructType EVERY_TYPE =
      Types.StructType.of(
          optional(1, "flag", Types.BooleanType.get()),
          optional(2, "small", Types.IntegerType.get()),
          optional(3, "big", Types.LongType.get()),
          optional(4, "single", Types.FloatType.get()),
          optional(5, "twice", Types.DoubleType.get()),
          optional(6, "day", Types.DateType.get()),
          optional(7, "instant", Types.TimestampType.withZone()),
          optional(8, "local", Types.TimestampType.withoutZone()),
          optional(9, "text", Types.StringType.get()),
          optional(10, "uid", Types.UUIDType.get()),
          optional(11, "fix", Types.FixedType.ofLength(4)),
          optional(12, "bytes", Types.BinaryType.get()),
          optional(13, "dec9", Types.DecimalType.of(9, 2)),
          optional(14, "dec18", Types.DecimalType.of(18, 6)),
          optional(15, "dec38", Types.DecimalType.of(38, 10)),
          optional(16, "u64", Types.DecimalType.of(20, 0)),
          optional(17, "list", Types.ListType.ofOptional(30, Types.StringType.get())),
          optional(
              18,
              "pairs",
              Types.MapType.ofOptional(31, 32, Types.StringType.get(), Types.LongType.get())),
          optional(
              19,
              "point",
              Types.StructType.of(
                  optional(33, "x", Types.DoubleType.get()),
                  optional(34, "uid", Types.UUIDType.get()))));

  private static final @Nullable Object[] VALUES = {
    true,
    -7,
    Long.MIN_VALUE,
    1.5f,
    -0.1,
    Date.valueOf(LocalDate.of(9999, 12, 31)),
    Timestamp.from(Instant.parse("1969-12-31T23:59:59.999999Z")),
    LocalDateTime.of(2026, 5, 23, 10, 0, 0, 1000),
    "grüße 🌍",
    "00000000-0000-4000-8000-00000000abcd",
    new byte[] {1, 2, 3, 4},
    new byte[] {},
    new BigDecimal("-1234567.89"),
    new BigDecimal("123456789012.345678"),
    new BigDecimal("1234567890123456789012345678.0123456789"),
    new BigDecimal("18446744073709551615"),
    Arrays.asList("a", null),
    scalaMap("k", 5L),
    RowFactory.create(0.5, "ffffffff-ffff-4fff-8fff-ffffffffffff")
  };

  private static scala.collection.Map<String, Long> scalaMap(String key, long value) {
    return scala.jdk.javaapi.CollectionConverters.asScala(Map.of(key, value));
  }

  private static Row cdc(String op, long offset) {
    return RowFactory.create(
        op,
        Timestamp.from(Instant.parse("2026-05-23T10:00:00.000001Z")),
        null,
        RowFactory.create(new BigDecimal("18446744073709551615")),
        "742",
        null,
        "pg.public.orders",
        1,
        "{\"id\":1}",
        new byte[16],
        List.of("big_text"),
        "orders",
        3,
        offset);
  }

  @Test
  void everyTypeIsReadBackAsWritten() {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    TargetTables tables =
        schemas.evolve(schemas.create(), List.of(new SourceSchema(EVERY_TYPE, null)));
    TaskTarget target = schemas.pin(tables);

    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 1);
    writer.writeRow(row(target, VALUES, cdc("c", 1)));
    writer.writeRow(row(target, new @Nullable Object[VALUES.length], cdc("d", 2)));
    StagedFiles files = writer.finish();
    Lakehouse.append(tables, files);

    assertThat(files.rows()).hasSize(1);
    List<Row> rows =
        Lakehouse.sql("select * from onceberg." + tables.name() + " order by _cdc.offset");
    Row first = rows.get(0);
    assertThat(first.schema().fieldNames()).endsWith("point", "_cdc", "loaded_date");
    for (int i = 0; i < VALUES.length; i++) {
      if (i != first.fieldIndex("list") && i != first.fieldIndex("pairs")) {
        assertThat(first.get(i)).as(first.schema().fieldNames()[i]).isEqualTo(VALUES[i]);
      }
      assertThat(rows.get(1).get(i)).isNull();
    }
    assertThat(first.getList(16)).isEqualTo(VALUES[16]);
    assertThat(first.getJavaMap(17)).isEqualTo(Map.of("k", 5L));
    assertThat(first.getStruct(19)).isEqualTo(cdcAsRead());
    assertThat(first.getDate(20)).isEqualTo(Date.valueOf(LocalDate.ofEpochDay(Lakehouse.TODAY)));
  }

  private static Row cdcAsRead() {
    return Lakehouse.SPARK
        .createDataFrame(
            List.of(cdc("c", 1)),
            (org.apache.spark.sql.types.StructType)
                org.apache.iceberg.spark.SparkSchemaUtil.convert(
                    TableColumns.ROWS.findType(TableColumns.CDC)))
        .collectAsList()
        .get(0);
  }

  private static org.apache.spark.sql.catalyst.InternalRow row(
      TaskTarget target, @Nullable Object[] values, Row cdc) {
    Object[] all =
        Stream.concat(
                Arrays.stream(values),
                Stream.of(cdc, Date.valueOf(LocalDate.ofEpochDay(Lakehouse.TODAY))))
            .toArray();
    return Lakehouse.internal(target.rowType(), RowFactory.create(all));
  }

  @Test
  void partitionsByAnyExpressionAndClosesIdleFiles() {
    TableSchemas schemas =
        new TableSchemas(
            Lakehouse.CATALOG,
            Lakehouse.changelog("bucket(4, uid)", "days(_cdc.ts)", "truncate(2, `a b.c`)", "u64"));
    Types.StructType columns =
        Types.StructType.of(
            optional(1, "uid", Types.UUIDType.get()),
            optional(2, "a b.c", Types.StringType.get()),
            optional(3, "u64", Types.DecimalType.of(20, 0)));
    TargetTables tables =
        schemas.evolve(schemas.create(), List.of(new SourceSchema(columns, null)));
    assertThat(tables.rows().spec().fields()).hasSize(4);
    TaskTarget target = schemas.pin(tables);
    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 1);
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < 100; i++) {
        writer.writeRow(
            row(
                target,
                new @Nullable Object[] {
                  "00000000-0000-4000-8000-00000000abcd",
                  i == 0 ? null : "xyz",
                  BigDecimal.valueOf(i)
                },
                cdc("c", i)));
      }
    }
    StagedFiles files = writer.finish();
    Lakehouse.append(tables, files);
    assertThat(files.rows()).hasSizeBetween(101, 200);
    assertThat(Lakehouse.sql("select count(*), count(distinct u64) from onceberg." + tables.name()))
        .containsExactly(RowFactory.create(200L, 100L));
    assertThat(
            Lakehouse.sql("select _cdc.offset from onceberg." + tables.name() + " where u64 = 7"))
        .containsExactly(RowFactory.create(7L), RowFactory.create(7L));
  }

  @Test
  void writesNothingForNothingAndLeavesNothingAfterAnAbort() throws Exception {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    TargetTables tables =
        schemas.evolve(schemas.create(), List.of(new SourceSchema(EVERY_TYPE, null)));
    TaskTarget target = schemas.pin(tables);
    assertThat(target.writer(Lakehouse.TODAY, 0, 1).finish()).isEqualTo(StagedFiles.NONE);

    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 2);
    writer.writeRow(row(target, VALUES, cdc("c", 1)));
    writer.writeKeys(List.of(changelogIdentity(target, 5L, null)), new long[0]);
    writer.writeQuarantined(quarantined(1));
    writer.abort();
    assertThat(dataFiles(tables)).isEmpty();
  }

  private static List<Path> dataFiles(TargetTables tables) throws Exception {
    List<Path> files = new java.util.ArrayList<>();
    for (var table : List.of(tables.rows(), tables.keys(), tables.quarantine())) {
      try (var paths = Files.walk(Path.of(java.net.URI.create(uri(table.location()))))) {
        files.addAll(paths.filter(p -> p.toString().endsWith(".parquet")).toList());
      }
    }
    return files;
  }

  private static String uri(String location) {
    return location.startsWith("file:") ? location : "file:" + location;
  }

  private static org.apache.spark.sql.catalyst.expressions.UnsafeRow changelogIdentity(
      TaskTarget target, @Nullable Long lsn, byte @Nullable [] hash) {
    return Lakehouse.unsafe(
        target.identityType(), RowFactory.create(1, "pg.s.t", lsn, 9L, "c", hash, null));
  }

  @Test
  void keysAreSortedAndSnapshotRowsLieApart() {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    TargetTables tables = schemas.create();
    TaskTarget target = schemas.pin(tables);
    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 1);
    writer.writeKeys(
        IntStream.range(0, 100)
            .mapToObj(
                i ->
                    i % 2 == 0
                        ? changelogIdentity(target, (i * 37L) % 100, null)
                        : changelogIdentity(target, null, digest(i * 37)))
            .toList(),
        new long[0]);
    StagedFiles files = writer.finish();
    Lakehouse.append(tables, files);
    assertThat(files.keys()).extracting(DataFile::recordCount).containsExactly(50L, 50L);
    List<Row> rows =
        Lakehouse.sql("select lsn from onceberg." + tables.name() + "_keys where lsn is not null");
    assertThat(rows).isSortedAccordingTo((a, b) -> Long.compare(a.getLong(0), b.getLong(0)));
  }

  private static byte[] digest(int seed) {
    return ByteBuffer.allocate(16).putInt(seed * 0x9E3779B9).array();
  }

  private static QuarantinedRecord quarantined(int seed) {
    return new QuarantinedRecord(
        digest(seed),
        ErrorCode.UNDECODABLE,
        "not JSON",
        "orders",
        "topic-id",
        0,
        seed,
        1_000L,
        null,
        "{".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void quarantinedRecordsAreFoundByTheirDigest() {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    TargetTables tables = schemas.create();
    ByteBuffer one = ByteBuffer.wrap(digest(1));
    ByteBuffer other = ByteBuffer.wrap(digest(1_000));
    assertThat(schemas.pin(tables).quarantined(List.of(one))).isEmpty();

    TargetWriter writer = schemas.pin(tables).writer(Lakehouse.TODAY, 0, 1);
    IntStream.range(0, 20).forEach(i -> writer.writeQuarantined(quarantined(i)));
    TaskTarget before = schemas.pin(tables);
    Lakehouse.append(tables, writer.finish());

    assertThat(before.quarantined(List.of(one, other))).isEmpty();
    assertThat(schemas.pin(tables).quarantined(List.of(one, other))).containsExactly(one);
    Row row =
        Lakehouse.sql(
                "select error, error_name, record_ts, cast(value as string), key from onceberg."
                    + tables.name()
                    + "_quarantine where offset = 1")
            .get(0);
    assertThat(row)
        .isEqualTo(
            RowFactory.create(
                301, "UNDECODABLE", Timestamp.from(Instant.ofEpochSecond(1)), "{", null));
  }
}
