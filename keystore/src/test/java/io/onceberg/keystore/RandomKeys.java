package io.onceberg.keystore;

import static org.apache.iceberg.types.Types.NestedField.optional;

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
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** Identities of many kinds, drawn at random, and the tables that they belong to. */
final class RandomKeys {
  private RandomKeys() {}

  /** A target, the columns it has at first, and what they become half way. */
  record Shape(TargetSettings settings, SourceSchema first, SourceSchema later, int version) {
    @Override
    public String toString() {
      return "version " + version + " " + first;
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
        events(
            struct(Types.FloatType.get(), Types.DecimalType.of(9, 2)),
            struct(Types.DoubleType.get(), Types.DecimalType.of(38, 2))),
        events(struct(Types.FloatType.get()), struct(Types.DoubleType.get())),
        old(events(struct(Types.IntegerType.get(), text), struct(bigint, text))));
  }

  private static Shape old(Shape shape) {
    return new Shape(shape.settings, shape.first, shape.later, 1);
  }

  static Types.StructType struct(Type... types) {
    List<NestedField> fields = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      fields.add(optional(i + 1, "k." + i, types[i]));
    }
    return Types.StructType.of(fields);
  }

  private static Shape changelog(Types.@Nullable StructType key, Types.@Nullable StructType later) {
    Types.StructType columns = struct(Types.StringType.get());
    return new Shape(
        Lakehouse.changelog(), new SourceSchema(columns, key), new SourceSchema(columns, later), 2);
  }

  private static Shape events(Types.StructType key) {
    return events(key, key);
  }

  private static Shape events(Types.StructType key, Types.StructType later) {
    String[] names = key.fields().stream().map(NestedField::name).toArray(String[]::new);
    return new Shape(
        Lakehouse.events(names), new SourceSchema(key, null), new SourceSchema(later, null), 2);
  }

  static List<Map<String, Object>> draw(Random random, List<Map<String, Object>> pool, int count) {
    Set<Map<String, Object>> drawn = new LinkedHashSet<>();
    while (drawn.size() < count) {
      drawn.add(pool.get(random.nextInt(pool.size())));
    }
    return List.copyOf(drawn);
  }

  /** Identities by the first schema, by name; a later schema adds nulls and widens values. */
  static List<Map<String, Object>> pool(
      Random random, TargetTables tables, TargetSettings settings, int count) {
    Schema identity = TableColumns.identitySchema(settings, tables.keys());
    Set<Map<String, Object>> pool = new LinkedHashSet<>();
    while (pool.size() < count) {
      Map<String, Object> values = struct(random, identity.asStruct());
      if (TableColumns.hasKeyHash(settings, tables.keys())) {
        values.remove(TableColumns.KEY_HASH);
        values.put(TableColumns.KEY_HASH, hash(values));
      }
      pool.add(values);
    }
    return List.copyOf(pool);
  }

  /** Of few bits, so that many keys share one. */
  private static long hash(Map<String, Object> values) {
    return (values.hashCode() % 500) * 0x9E3779B97F4A7C15L;
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

  static Row row(Map<?, ?> values, StructType type) {
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
}
