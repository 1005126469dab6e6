package io.onceberg.ingest.decode;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;

/**
 * The one place that says which Iceberg type a Kafka Connect type becomes; docs/types.md is its
 * other face. {@link Cells} says how its values get there.
 */
final class ColumnTypes {
  static final int MAX_DIGITS = 38;

  /** The scale of decimals whose own scale differs from value to value. */
  static final int VARIABLE_SCALE = 18;

  private static final int POSTGRES_MAX_SCALE = 1_000;
  private static final int POSTGRES_SCALES = 2_048;

  private ColumnTypes() {}

  /** The columns of a struct. Field ids are made up. */
  static Types.StructType columns(List<Field> fields) {
    List<Types.NestedField> columns = new ArrayList<>(fields.size());
    int[] ids = {0};
    for (Field field : fields) {
      columns.add(Types.NestedField.optional(++ids[0], field.name(), of(field.schema(), ids)));
    }
    return Types.StructType.of(columns);
  }

  static Type of(Schema schema) {
    return of(schema, new int[] {0});
  }

  /** What a value of this schema means, by the schema's name; else by its type. */
  static Meaning meaning(Schema schema) {
    return Meaning.of(schema);
  }

  private static Type of(Schema schema, int[] ids) {
    return switch (meaning(schema)) {
      case DATE, ISO_DATE -> Types.DateType.get();
      case TIMESTAMP_MILLIS, TIMESTAMP_MICROS, TIMESTAMP_NANOS, ISO_TIMESTAMP ->
          Types.TimestampType.withoutZone();
      case ZONED_TIMESTAMP -> Types.TimestampType.withZone();
      case TIME_MILLIS, TIME_MICROS, TIME_NANOS, ISO_TIME, TEXT -> Types.StringType.get();
      case UUID -> Types.UUIDType.get();
      case DECIMAL -> decimal(schema);
      case VARIABLE_DECIMAL -> Types.DecimalType.of(MAX_DIGITS, VARIABLE_SCALE);
      case BOOLEAN -> Types.BooleanType.get();
      case INTEGER ->
          schema.type() == Schema.Type.INT64 ? Types.LongType.get() : Types.IntegerType.get();
      case FLOAT -> Types.FloatType.get();
      case DOUBLE -> Types.DoubleType.get();
      case BYTES -> Types.BinaryType.get();
      case LIST -> Types.ListType.ofOptional(++ids[0], of(schema.valueSchema(), ids));
      case MAP ->
          Types.MapType.ofOptional(
              ++ids[0], ++ids[0], of(schema.keySchema(), ids), of(schema.valueSchema(), ids));
      case STRUCT -> struct(schema, ids);
    };
  }

  private static Type struct(Schema schema, int[] ids) {
    if (schema.fields().isEmpty()) {
      throw RefusedValue.undecodable(
          "a struct without fields (%s) has no column type".formatted(schema.name()));
    }
    List<Types.NestedField> fields = new ArrayList<>();
    for (Field field : schema.fields()) {
      fields.add(Types.NestedField.optional(++ids[0], field.name(), of(field.schema(), ids)));
    }
    return Types.StructType.of(fields);
  }

  /** The scale of a {@link Decimal}; Postgres allows negative ones. */
  static int scale(Schema schema) {
    return number(schema, Decimal.SCALE_FIELD, 0);
  }

  /**
   * The scale that the column was declared with. Debezium shows a negative one of Postgres as its
   * lowest eleven bits, 2046 for -2, and does send its values with so many zeros; the largest that
   * Postgres has is 1000.
   */
  private static int declaredScale(int scale) {
    return scale > POSTGRES_MAX_SCALE && scale < POSTGRES_SCALES ? scale - POSTGRES_SCALES : scale;
  }

  private static Type decimal(Schema schema) {
    int scale = declaredScale(scale(schema));
    if (scale > MAX_DIGITS) {
      return Types.StringType.get();
    }
    int precision = number(schema, "connect.decimal.precision", MAX_DIGITS);
    // numeric(5, -2) has seven integer digits, numeric(2, 5) five fraction digits
    int digits =
        Math.max(precision - Math.max(Math.min(scale, 0), -MAX_DIGITS), Math.max(scale, 1));
    return Types.DecimalType.of(Math.min(digits, MAX_DIGITS), Math.max(scale, 0));
  }

  private static int number(Schema schema, String parameter, int absent) {
    String written = schema.parameters() == null ? null : schema.parameters().get(parameter);
    if (written == null) {
      return absent;
    }
    try {
      return Integer.parseInt(written);
    } catch (NumberFormatException e) {
      throw RefusedValue.undecodable(
          "schema %s: parameter %s is '%s'".formatted(schema.name(), parameter, written));
    }
  }
}
