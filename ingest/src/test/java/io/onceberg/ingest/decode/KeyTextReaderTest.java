package io.onceberg.ingest.decode;

import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What was printed is read back bit by bit. */
class KeyTextReaderTest {
  static Stream<Arguments> values() {
    return Stream.of(
            values(Types.BooleanType.get(), true, false),
            values(Types.IntegerType.get(), 0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE),
            values(Types.LongType.get(), 0L, 9L, 10L, -7L, Long.MAX_VALUE, Long.MIN_VALUE),
            values(
                Types.FloatType.get(),
                0f,
                -0f,
                0.1f,
                Float.MIN_VALUE,
                Float.NaN,
                Float.NEGATIVE_INFINITY),
            values(
                Types.DoubleType.get(),
                -0d,
                0.1,
                1e300,
                Double.MIN_VALUE,
                Double.NaN,
                Double.POSITIVE_INFINITY),
            values(Types.DecimalType.of(9, 2), decimal("0.00", 9), decimal("-1234567.89", 9)),
            values(
                Types.DecimalType.of(38, 10),
                decimal("9999999999999999999999999999.9999999999", 38),
                decimal("-0.0000000001", 38)),
            values(
                Types.StringType.get(),
                text(""),
                text("a \"quoted\" \\ back\nslash\t\u0001"),
                text("ü～🌍"),
                text("null")),
            values(Types.UUIDType.get(), text("f79c3e09-677c-4bbd-a479-3f349cb785e7")),
            values(Types.BinaryType.get(), new byte[0], new byte[] {0, -1, 127}),
            values(Types.DateType.get(), 0, -1, 20_000, 3_000_000, -800_000),
            values(
                Types.TimestampType.withZone(),
                0L,
                -1L,
                1_779_530_400_123_456L,
                300_000_000_000_000_000L),
            values(
                Types.TimestampType.withoutZone(),
                0L,
                -1L,
                1_779_530_400_000_000L,
                -70_000_000_000_000_000L))
        .flatMap(s -> s);
  }

  private static Stream<Arguments> values(Type type, Object... values) {
    return Stream.of(values).map(value -> Arguments.of(type, value));
  }

  private static Decimal decimal(String text, int precision) {
    BigDecimal value = new BigDecimal(text);
    return Decimal.apply(value, precision, value.scale());
  }

  private static UTF8String text(String text) {
    return UTF8String.fromString(text);
  }

  @ParameterizedTest
  @MethodSource("values")
  void readsWhatWasPrinted(Type type, Object value) {
    Types.StructType layout =
        Types.StructType.of(
            optional(1, "before", Types.LongType.get()),
            optional(2, "k", type),
            optional(3, "after", Types.StringType.get()));
    UnsafeRow key = row(layout, 5L, value, null);
    String printed = String.valueOf(new KeyText(layout).of(key));
    KeyTextReader reader = new KeyTextReader(layout);
    assertThat(projection(layout).apply(reader.read(printed))).as(printed).isEqualTo(key);
    // nothing is left of the key before
    assertThat(projection(layout).apply(reader.read("{}")))
        .isEqualTo(row(layout, null, null, null));
  }

  /** Widened since, with a column more, and in another order. */
  @Test
  void readsKeysOfAnEarlierLayout() {
    Types.StructType then =
        Types.StructType.of(
            optional(1, "a", Types.IntegerType.get()),
            optional(2, "b", Types.DecimalType.of(9, 2)));
    Types.StructType now =
        Types.StructType.of(
            optional(2, "b", Types.DecimalType.of(20, 2)),
            optional(1, "a", Types.LongType.get()),
            optional(3, "c", Types.StringType.get()));
    String printed = String.valueOf(new KeyText(then).of(row(then, -5, decimal("1.50", 9))));
    assertThat(projection(now).apply(new KeyTextReader(now).read(printed)))
        .isEqualTo(row(now, decimal("1.50", 20), -5L, null));
  }

  @Test
  void refusesWhatIsNotPrintedInFull() {
    Types.StructType layout = Types.StructType.of(optional(1, "k", Types.FixedType.ofLength(3)));
    assertThatThrownBy(() -> new KeyTextReader(layout))
        .isInstanceOfSatisfying(
            OncebergException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.IDENTITY_NOT_STORED));
    Types.StructType other = Types.StructType.of(optional(1, "k", Types.LongType.get()));
    assertThatThrownBy(() -> new KeyTextReader(other).read("{\"id\":1}"))
        .hasMessageContaining("OB-413");
  }

  private static UnsafeRow row(Types.StructType layout, @Nullable Object... values) {
    return projection(layout).apply(new GenericInternalRow(values)).copy();
  }

  private static UnsafeProjection projection(Types.StructType layout) {
    StructType type = SparkSchemaUtil.convert(new Schema(List.copyOf(layout.fields())));
    return UnsafeProjection.create(type);
  }
}
