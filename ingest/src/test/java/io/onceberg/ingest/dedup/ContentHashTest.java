package io.onceberg.ingest.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The hash of an event replayed after the table changed is the hash it had before. */
class ContentHashTest {
  @Test
  void aColumnAddedLaterDoesNotCount() {
    StructType before = type("id", DataTypes.LongType, "name", DataTypes.StringType);
    StructType after = before.add("city", DataTypes.StringType);
    assertThat(hash(after, 1L, text("a"), null)).isEqualTo(hash(before, 1L, text("a")));
  }

  @Test
  void theOrderOfColumnsDoesNotCount() {
    assertThat(hash(type("b", DataTypes.LongType, "a", DataTypes.LongType), 2L, 1L))
        .isEqualTo(hash(type("a", DataTypes.LongType, "b", DataTypes.LongType), 1L, 2L))
        .isNotEqualTo(hash(type("a", DataTypes.LongType, "b", DataTypes.LongType), 2L, 1L));
  }

  @Test
  void widenedColumnsHashAsBefore() {
    assertThat(hash(type("a", DataTypes.IntegerType), 5))
        .isEqualTo(hash(type("a", DataTypes.LongType), 5L));
    assertThat(hash(type("a", DataTypes.FloatType), 0.5f))
        .isEqualTo(hash(type("a", DataTypes.DoubleType), 0.5d));
    assertThat(hash(type("a", DataTypes.createDecimalType(6, 2)), decimal("1.50", 6, 2)))
        .isEqualTo(hash(type("a", DataTypes.createDecimalType(30, 2)), decimal("1.50", 30, 2)));
  }

  @Test
  void nullIsNotTheEmptyText() {
    StructType type = type("a", DataTypes.StringType);
    assertThat(hash(type, text(""))).isNotEqualTo(hash(type, new Object[] {null}));
  }

  @Test
  void nestedValuesCount() {
    StructType list = type("a", DataTypes.createArrayType(DataTypes.LongType));
    assertThat(hash(list, new GenericArrayData(new long[] {1, 2})))
        .isNotEqualTo(hash(list, new GenericArrayData(new long[] {2, 1})));
    StructType map = type("a", DataTypes.createMapType(DataTypes.StringType, DataTypes.StringType));
    assertThat(hash(map, map("x", "1", "y", "2"))).isEqualTo(hash(map, map("y", "2", "x", "1")));
    assertThat(hash(map, map("x", "1", "y", "2"))).isNotEqualTo(hash(map, map("x", "2", "y", "1")));
    StructType struct = type("a", type("x", DataTypes.LongType, "y", DataTypes.LongType));
    assertThat(hash(struct, new GenericInternalRow(new Object[] {1L, null})))
        .isNotEqualTo(hash(struct, new GenericInternalRow(new Object[] {null, 1L})));
  }

  private static List<Long> hash(StructType type, @Nullable Object... values) {
    ContentHash hash = new ContentHash(type).reset().add(new GenericInternalRow(values), 1);
    return List.of(hash.high(), hash.low(), hash.folded());
  }

  private static StructType type(Object... namesAndTypes) {
    StructType type = new StructType();
    for (int i = 0; i < namesAndTypes.length; i += 2) {
      type = type.add((String) namesAndTypes[i], (DataType) namesAndTypes[i + 1]);
    }
    return type;
  }

  private static Decimal decimal(String value, int precision, int scale) {
    return Decimal.apply(new BigDecimal(value), precision, scale);
  }

  private static UTF8String text(String value) {
    return UTF8String.fromString(value);
  }

  private static ArrayBasedMapData map(String... entries) {
    Object[] keys = new Object[entries.length / 2];
    Object[] values = new Object[entries.length / 2];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = text(entries[2 * i]);
      values[i] = text(entries[2 * i + 1]);
    }
    return new ArrayBasedMapData(new GenericArrayData(keys), new GenericArrayData(values));
  }
}
