package io.onceberg.keystore;

import io.onceberg.keystore.keyfile.RadixOrder;
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
import org.apache.spark.unsafe.types.ByteArray;
import org.jspecify.annotations.Nullable;

/**
 * The order of rows in a key file: by the named columns, nulls first. Sorts by the first eight
 * bytes of the first column as numbers and compares rows only where those are equal.
 */
final class KeyOrder {
  /** A first column that has a number in its order. */
  private record Lead(int position, Type type) {}

  private final List<Comparator<InternalRow>> columns = new ArrayList<>();
  private final @Nullable Lead lead;

  KeyOrder(Schema identity, List<String> names) {
    Lead first = null;
    for (String name : names) {
      NestedField field = identity.findField(name);
      if (field != null && field.type().isPrimitiveType()) {
        int position = identity.columns().indexOf(field);
        if (columns.isEmpty() && hasPrefix(field.type())) {
          first = new Lead(position, field.type());
        }
        columns.add(column(position, field.type()));
      }
    }
    this.lead = first;
  }

  int compare(InternalRow first, InternalRow second) {
    for (Comparator<InternalRow> column : columns) {
      int order = column.compare(first, second);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  /** The indexes of the rows in their order; equal rows keep theirs. */
  int[] sorted(List<UnsafeRow> rows) {
    if (lead == null) {
      return sorted(rows, 0, rows.size());
    }
    long[] prefixes = new long[rows.size()];
    for (int i = 0; i < prefixes.length; i++) {
      prefixes[i] = prefix(rows.get(i), lead);
    }
    int[] order = RadixOrder.of(prefixes);
    int runStart = 0;
    for (int i = 1; i <= order.length; i++) {
      if (i == order.length || prefixes[order[i]] != prefixes[order[runStart]]) {
        if (i - runStart > 1) {
          settle(rows, order, runStart, i);
        }
        runStart = i;
      }
    }
    return order;
  }

  /** Puts rows in order whose first columns begin alike. */
  private void settle(List<UnsafeRow> rows, int[] order, int from, int until) {
    if (isSorted(rows, order, from, until)) {
      return;
    }
    Integer[] run = new Integer[until - from];
    Arrays.setAll(run, i -> order[from + i]);
    Arrays.sort(run, (a, b) -> compare(rows.get(a), rows.get(b)));
    for (int i = 0; i < run.length; i++) {
      order[from + i] = run[i];
    }
  }

  private boolean isSorted(List<UnsafeRow> rows, int[] order, int from, int until) {
    for (int i = from + 1; i < until; i++) {
      if (compare(rows.get(order[i - 1]), rows.get(order[i])) > 0) {
        return false;
      }
    }
    return true;
  }

  private int[] sorted(List<UnsafeRow> rows, int from, int until) {
    int[] order = new int[until - from];
    Arrays.setAll(order, i -> from + i);
    settle(rows, order, 0, order.length);
    return order;
  }

  /**
   * A number in the order of rows, as far as it goes: what has a lesser one comes first, and rows
   * that share it are to be compared.
   */
  long head(UnsafeRow row) {
    return lead == null ? 0 : prefix(row, lead);
  }

  /** A number in the order of the column, as far as it goes; nulls and the least value share it. */
  private static long prefix(UnsafeRow row, Lead lead) {
    if (row.isNullAt(lead.position)) {
      return Long.MIN_VALUE;
    }
    return switch (lead.type.typeId()) {
      case INTEGER, DATE -> row.getInt(lead.position);
      case STRING, UUID -> row.getUTF8String(lead.position).getPrefix() ^ Long.MIN_VALUE;
      case FIXED, BINARY -> ByteArray.getPrefix(row.getBinary(lead.position)) ^ Long.MIN_VALUE;
      default -> row.getLong(lead.position);
    };
  }

  private static boolean hasPrefix(Type type) {
    return switch (type.typeId()) {
      case INTEGER, DATE, LONG, TIMESTAMP, STRING, UUID, FIXED, BINARY -> true;
      default -> false;
    };
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
