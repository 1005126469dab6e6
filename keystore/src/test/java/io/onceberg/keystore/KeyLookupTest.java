package io.onceberg.keystore;

import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyLookupTest {
  private static final int BATCHES = 6;
  private static final int BATCH = 400;

  /** A target, the columns it has at first, and what they become half way. */
  private record Shape(TargetSettings settings, SourceSchema first, SourceSchema later) {
    @Override
    public String toString() {
      return first.toString();
    }
  }

  static Stream<Shape> shapes() {
    Type bigint = Types.LongType.get();
    Type text = Types.StringType.get();
    Type wide = Types.DecimalType.of(38, 10);
    return Stream.of(
        changelog(null, null),
        changelog(null, struct(bigint)),
        changelog(struct(bigint), struct(bigint)),
        changelog(struct(Types.IntegerType.get()), struct(bigint, text)),
        changelog(
            struct(Types.DecimalType.of(9, 0), wide), struct(Types.DecimalType.of(20, 0), wide)),
        changelog(struct(Types.UUIDType.get(), Types.FixedType.ofLength(3)), null),
        events(struct(text)),
        events(struct(bigint)),
        events(struct(Types.UUIDType.get())),
        events(struct(Types.DecimalType.of(20, 0))),
        events(struct(wide, text)),
        events(struct(Types.DateType.get(), Types.IntegerType.get())),
        events(struct(Types.TimestampType.withZone(), Types.BinaryType.get())),
        events(struct(Types.TimestampType.withoutZone(), Types.BooleanType.get())),
        events(struct(Types.DoubleType.get(), bigint)),
        events(struct(Types.IntegerType.get(), text), struct(bigint, text)),
        events(struct(Types.DecimalType.of(9, 2)), struct(Types.DecimalType.of(38, 2))),
        events(struct(Types.FloatType.get()), struct(Types.DoubleType.get())));
  }

  private static Types.StructType struct(Type... types) {
    List<NestedField> fields = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      fields.add(optional(i + 1, "k." + i, types[i]));
    }
    return Types.StructType.of(fields);
  }

  private static Shape changelog(Types.@Nullable StructType key, Types.@Nullable StructType later) {
    Types.StructType columns = struct(Types.StringType.get());
    return new Shape(
        Lakehouse.changelog(), new SourceSchema(columns, key), new SourceSchema(columns, later));
  }

  private static Shape events(Types.StructType key) {
    return events(key, key);
  }

  private static Shape events(Types.StructType key, Types.StructType later) {
    String[] names = key.fields().stream().map(NestedField::name).toArray(String[]::new);
    return new Shape(
        Lakehouse.events(names), new SourceSchema(key, null), new SourceSchema(later, null));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void findsExactlyWhatIsStored(Shape shape) {
    long seed = 20_260_523L;
    Random random = new Random(seed);
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, shape.settings);
    TargetTables tables = schemas.evolve(schemas.create(), List.of(shape.first));
    List<Map<String, Object>> pool = pool(random, tables, shape.settings);
    Map<Map<String, Object>, Long> stored = new HashMap<>();
    for (int batch = 0; batch < BATCHES; batch++) {
      if (batch == BATCHES / 2) {
        schemas.evolve(tables, List.of(shape.later));
      }
      TaskTarget target = schemas.pin(tables);
      List<Map<String, Object>> drawn = draw(random, pool);
      List<UnsafeRow> identities =
          drawn.stream()
              .map(v -> Lakehouse.unsafe(target.identityType(), row(v, target.identityType())))
              .toList();
      LsmKeyLookup lookup = ((PinnedTarget) target).lookup();
      KeyHits hits = lookup.find(identities);
      assertThat(lookup.filesReadWhole()).isZero();
      for (int i = 0; i < drawn.size(); i++) {
        assertThat(hits.stored().get(i))
            .as("seed %d batch %d identity %s", seed, batch, drawn.get(i))
            .isEqualTo(stored.containsKey(drawn.get(i)));
        if (hits.payloadHashes().length > 0 && hits.stored().get(i)) {
          assertThat(hits.payloadHashes()[i]).isEqualTo(stored.get(drawn.get(i)));
        }
      }
      store(tables, target, shape.settings, drawn, identities, hits, stored);
    }
    assertThat(stored).hasSizeGreaterThan(BATCH);
  }

  /** Stores what was not found, in two tasks. */
  private static void store(
      TargetTables tables,
      TaskTarget target,
      TargetSettings settings,
      List<Map<String, Object>> drawn,
      List<UnsafeRow> identities,
      KeyHits hits,
      Map<Map<String, Object>, Long> stored) {
    StagedFiles files = StagedFiles.NONE;
    for (int task = 0; task < 2; task++) {
      List<UnsafeRow> novel = new ArrayList<>();
      LongStream.Builder payloads = LongStream.builder();
      for (int i = task; i < drawn.size(); i += 2) {
        if (!hits.stored().get(i)) {
          long payload = drawn.get(i).hashCode() * 31L;
          novel.add(identities.get(i));
          payloads.add(payload);
          stored.put(drawn.get(i), payload);
        }
      }
      TargetWriter writer = target.writer(Lakehouse.TODAY, task, task);
      writer.writeKeys(
          novel, settings.kind() == TargetKind.EVENTS ? payloads.build().toArray() : new long[0]);
      files = files.plus(writer.finish());
    }
    Lakehouse.append(tables, files);
  }

  private static List<Map<String, Object>> draw(Random random, List<Map<String, Object>> pool) {
    Set<Map<String, Object>> drawn = new LinkedHashSet<>();
    while (drawn.size() < BATCH) {
      drawn.add(pool.get(random.nextInt(pool.size())));
    }
    return List.copyOf(drawn);
  }

  /** Identities by the first schema, by name; a later schema adds nulls and widens values. */
  private static List<Map<String, Object>> pool(
      Random random, TargetTables tables, TargetSettings settings) {
    Schema identity = TableColumns.identitySchema(settings, tables.keys());
    Set<Map<String, Object>> pool = new LinkedHashSet<>();
    while (pool.size() < 3 * BATCH) {
      pool.add(struct(random, identity.asStruct()));
    }
    return List.copyOf(pool);
  }

  private static Map<String, Object> struct(Random random, Types.StructType struct) {
    Map<String, Object> values = new LinkedHashMap<>();
    for (NestedField field : struct.fields()) {
      if (random.nextInt(8) != 0) {
        values.put(field.name(), value(random, field.type()));
      }
    }
    return values;
  }

  private static Object value(Random random, Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> random.nextBoolean();
      case INTEGER -> random.nextBoolean() ? random.nextInt() : random.nextInt(50);
      case LONG -> random.nextBoolean() ? random.nextLong() : (long) random.nextInt(50);
      case FLOAT -> random.nextInt(20) == 0 ? Float.NaN : random.nextInt() / 8f;
      case DOUBLE -> random.nextInt(20) == 0 ? Double.NaN : random.nextGaussian();
      case DATE -> Date.valueOf(LocalDate.ofEpochDay(random.nextInt(40_000) - 10_000));
      case TIMESTAMP -> timestamp(random, (Types.TimestampType) type);
      case UUID -> new UUID(random.nextLong(), random.nextLong()).toString();
      case STRING -> text(random);
      case FIXED -> bytes(random, ((Types.FixedType) type).length());
      case BINARY -> bytes(random, random.nextInt(30));
      case DECIMAL -> decimal(random, (Types.DecimalType) type);
      case STRUCT -> struct(random, type.asStructType());
      default -> throw new IllegalArgumentException(type.toString());
    };
  }

  private static Object timestamp(Random random, Types.TimestampType type) {
    Instant instant = Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000) * 1_000L);
    return type.shouldAdjustToUTC()
        ? Timestamp.from(instant)
        : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
  }

  /** Short, so that many meet, with characters whose UTF-16 order is not that of their bytes. */
  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(5); i >= 0; i--) {
      text.append(List.of("a", "Z", "ü", "～", "🌍", "0").get(random.nextInt(6)));
    }
    return text.append("x".repeat(random.nextInt(3) * 20)).toString();
  }

  /** A buffer, which is equal by content. */
  private static Object bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }

  private static BigDecimal decimal(Random random, Types.DecimalType type) {
    BigInteger limit = BigInteger.TEN.pow(type.precision());
    BigInteger unscaled = new BigInteger(limit.bitLength() + 8, random).mod(limit);
    return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
  }

  private static Row row(Map<?, ?> values, StructType type) {
    return RowFactory.create(
        Stream.of(type.fields()).map(f -> spark(values.get(f.name()), f.dataType())).toArray());
  }

  private static @Nullable Object spark(@Nullable Object value, DataType type) {
    if (value instanceof ByteBuffer bytes) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.duplicate().get(copy);
      return copy;
    }
    if (value instanceof Map<?, ?> values) {
      return row(values, (StructType) type);
    }
    if (value instanceof Integer number && type.equals(DataTypes.LongType)) {
      return number.longValue();
    }
    return value instanceof Float number && type.equals(DataTypes.DoubleType)
        ? (Object) number.doubleValue()
        : value;
  }

  private static final Types.StructType ID = struct(Types.LongType.get());

  private static TargetTables changelogTables(TableSchemas schemas) {
    return schemas.evolve(
        schemas.create(), List.of(new SourceSchema(struct(Types.LongType.get()), ID)));
  }

  private static UnsafeRow change(TaskTarget target, long lsn, long id) {
    return Lakehouse.unsafe(
        target.identityType(),
        RowFactory.create(1, "pg.s.t", lsn, 1L, "c", RowFactory.create(id), null, null));
  }

  private static UnsafeRow snapshotRow(TaskTarget target, long id) {
    byte[] hash = new byte[16];
    new Random(id).nextBytes(hash);
    return Lakehouse.unsafe(
        target.identityType(),
        RowFactory.create(1, "pg.s.t", null, null, "r", RowFactory.create(id), hash, null));
  }

  private static void storeKeys(TargetTables tables, TaskTarget target, List<UnsafeRow> keys) {
    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 0);
    writer.writeKeys(keys, new long[0]);
    Lakehouse.append(tables, writer.finish());
  }

  @Test
  void readsOnlyFilesWhoseBoundsMeetTheBatch() {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    TargetTables tables = changelogTables(schemas);
    for (int file = 0; file < 20; file++) {
      TaskTarget target = schemas.pin(tables);
      long first = file * 1_000L;
      storeKeys(
          tables,
          target,
          Stream.concat(
                  LongStream.range(first, first + 100).mapToObj(l -> change(target, l, l)),
                  Stream.of(snapshotRow(target, file)))
              .toList());
    }
    TaskTarget target = schemas.pin(tables);

    assertRead(target, List.of(change(target, 20_000, 1), change(target, 1L << 62, 2)), 0, 0);
    assertRead(target, List.of(change(target, 3_050, 3_050), change(target, 500, 0)), 1, 1);
    assertRead(target, List.of(change(target, 50, 50), change(target, 19_050, 19_050)), 2, 2);
    // an LSN above 2^63 is negative in signed order, on both sides
    assertRead(target, List.of(change(target, -1L, 1)), 0, 0);
    // a snapshot row is looked for in files of snapshot rows only, a change in the others only
    assertRead(target, List.of(snapshotRow(target, 7)), 1, 1);
  }

  private static void assertRead(
      TaskTarget target, List<UnsafeRow> identities, int files, int hits) {
    LsmKeyLookup lookup = ((PinnedTarget) target).lookup();
    assertThat(lookup.find(identities).stored().cardinality()).isEqualTo(hits);
    assertThat(lookup.filesSearched()).isEqualTo(files);
  }

  @Test
  void aKeyIsFoundWhateverTheOrderItsFieldsWereWrittenIn() {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    Types.StructType key =
        struct(Types.StringType.get(), Types.DecimalType.of(38, 0), Types.StringType.get());
    TargetTables tables = schemas.evolve(schemas.create(), List.of(new SourceSchema(key, key)));
    TaskTarget target = schemas.pin(tables);
    UnsafeRowWriter backwards = new UnsafeRowWriter(3);
    backwards.reset();
    backwards.zeroOutNullBytes();
    backwards.write(2, UTF8String.fromString("second text"));
    backwards.setNullAt(1);
    backwards.write(0, UTF8String.fromString("first text"));
    UnsafeRow identity =
        UnsafeProjection.create(target.identityType())
            .apply(
                new GenericInternalRow(
                    new @Nullable Object[] {1, null, 5L, 1L, null, backwards.getRow(), null, null}))
            .copy();
    storeKeys(tables, target, List.of(identity));
    assertRead(schemas.pin(tables), List.of(identity), 1, 1);
  }

  @Test
  void aPinSeesItsOwnSnapshotOnly() {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    TargetTables tables = changelogTables(schemas);
    TaskTarget before = schemas.pin(tables);
    storeKeys(tables, before, List.of(change(before, 5, 5)));
    TaskTarget after = schemas.pin(tables);
    assertRead(before, List.of(change(before, 5, 5)), 0, 0);
    assertRead(after, List.of(change(after, 5, 5)), 1, 1);
  }
}
