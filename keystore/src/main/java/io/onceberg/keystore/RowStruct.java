package io.onceberg.keystore;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/** A Spark row as Iceberg sees it, for partition values. One object wraps row after row. */
final class RowStruct implements StructLike {
  private final List<NestedField> fields;
  private @Nullable InternalRow row;

  RowStruct(Types.StructType type) {
    this.fields = type.fields();
  }

  RowStruct wrap(InternalRow next) {
    this.row = next;
    return this;
  }

  @Override
  public int size() {
    return fields.size();
  }

  @Override
  @SuppressWarnings("NullAway") // a null column is null here too, which Iceberg's interface allows
  public <T> T get(int position, Class<T> javaClass) {
    InternalRow current = row;
    if (current == null || current.isNullAt(position)) {
      return null;
    }
    return javaClass.cast(value(current, position, fields.get(position).type()));
  }

  @Override
  public <T> void set(int position, T value) {
    throw new UnsupportedOperationException("rows are read only");
  }

  /** The value of a column that is not null, in Iceberg's Java form. */
  static Object value(InternalRow row, int position, Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> row.getBoolean(position);
      case INTEGER, DATE -> row.getInt(position);
      case LONG, TIMESTAMP -> row.getLong(position);
      case FLOAT -> row.getFloat(position);
      case DOUBLE -> row.getDouble(position);
      case STRING -> row.getUTF8String(position).toString();
      case UUID -> UUID.fromString(row.getUTF8String(position).toString());
      case FIXED, BINARY -> ByteBuffer.wrap(row.getBinary(position));
      case DECIMAL -> decimal(row, position, (Types.DecimalType) type);
      case STRUCT -> struct(row, position, type.asStructType());
      default -> throw new IllegalArgumentException("not a value to compare: " + type);
    };
  }

  private static BigDecimal decimal(InternalRow row, int position, Types.DecimalType type) {
    return row.getDecimal(position, type.precision(), type.scale()).toJavaBigDecimal();
  }

  private static RowStruct struct(InternalRow row, int position, Types.StructType type) {
    return new RowStruct(type).wrap(row.getStruct(position, type.fields().size()));
  }
}
