package io.onceberg.keystore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** The order of rows in a key file: by the named columns, nulls first. */
final class KeyOrder {
  private final List<Comparator<InternalRow>> columns = new ArrayList<>();

  KeyOrder(Schema identity, List<String> names) {
    for (String name : names) {
      NestedField field = identity.findField(name);
      if (field != null && field.type().isPrimitiveType()) {
        columns.add(column(identity.columns().indexOf(field), field.type()));
      }
    }
  }

  private int compare(InternalRow first, InternalRow second) {
    for (Comparator<InternalRow> column : columns) {
      int order = column.compare(first, second);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  /** The indexes of the rows in their order. */
  int[] sorted(List<UnsafeRow> rows) {
    Integer[] indexes = new Integer[rows.size()];
    Arrays.setAll(indexes, i -> i);
    Arrays.sort(indexes, (a, b) -> compare(rows.get(a), rows.get(b)));
    return Arrays.stream(indexes).mapToInt(i -> i).toArray();
  }

  private static Comparator<InternalRow> column(int position, Type type) {
    Comparator<InternalRow> values = values(position, type);
    return (a, b) -> {
      boolean first = a.isNullAt(position);
      boolean second = b.isNullAt(position);
      return first || second ? Boolean.compare(second, first) : values.compare(a, b);
    };
  }

  private static Comparator<InternalRow> values(int position, Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> (a, b) -> Boolean.compare(a.getBoolean(position), b.getBoolean(position));
      case INTEGER, DATE -> (a, b) -> Integer.compare(a.getInt(position), b.getInt(position));
      case FLOAT -> (a, b) -> Float.compare(a.getFloat(position), b.getFloat(position));
      case DOUBLE -> (a, b) -> Double.compare(a.getDouble(position), b.getDouble(position));
      case STRING, UUID ->
          (a, b) -> a.getUTF8String(position).binaryCompare(b.getUTF8String(position));
      case FIXED, BINARY ->
          (a, b) -> Arrays.compareUnsigned(a.getBinary(position), b.getBinary(position));
      case DECIMAL -> decimals(position, (Types.DecimalType) type);
      default -> (a, b) -> Long.compare(a.getLong(position), b.getLong(position));
    };
  }

  private static Comparator<InternalRow> decimals(int position, Types.DecimalType type) {
    return (a, b) ->
        a.getDecimal(position, type.precision(), type.scale())
            .compare(b.getDecimal(position, type.precision(), type.scale()));
  }
}
