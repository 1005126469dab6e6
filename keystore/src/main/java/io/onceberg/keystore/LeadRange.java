package io.onceberg.keystore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * The values that a batch has in one lead column: sorted and distinct, in Iceberg's Java form.
 *
 * <p>The order is the one of the bounds in the manifests on either side, so an LSN is compared as
 * the signed number that its 64 bits make. That is not its meaning, but both sides agree, and
 * pruning needs no more.
 *
 * <p>A UUID is compared as its 16 bytes: that is the order of Parquet's bounds, while Iceberg
 * orders UUIDs as Java does, by signed halves. For the same reason Iceberg's own row-group filter
 * leaves out row groups that hold the UUID, and is not asked.
 */
final class LeadRange {
  /** Iceberg gives up on bounds of row groups for longer lists. */
  private static final int LISTED = 200;

  private static final Type.PrimitiveType UUID_BYTES = Types.FixedType.ofLength(16);

  private final LeadColumn lead;
  private final Type type;
  private final Comparator<Object> order;
  private final Object[] values;

  private LeadRange(LeadColumn lead, Type type, Comparator<Object> order, Object[] sorted) {
    this.lead = lead;
    this.type = type;
    this.order = order;
    this.values = sorted;
  }

  /** Takes the column's values from rows that have one. */
  static LeadRange of(LeadColumn lead, List<? extends InternalRow> rows) {
    Type.PrimitiveType type = lead.field().type().asPrimitiveType();
    boolean uuid = type.typeId() == Type.TypeID.UUID;
    Type.PrimitiveType ordered = uuid ? UUID_BYTES : type;
    Comparator<Object> order = Comparators.forType(ordered);
    Object[] values = new Object[rows.size()];
    for (int i = 0; i < values.length; i++) {
      Object value = RowStruct.value(rows.get(i), lead.position(), type);
      values[i] = uuid ? Conversions.toByteBuffer(type, value) : value;
    }
    Arrays.sort(values, order);
    return new LeadRange(lead, ordered, order, values);
  }

  /** Whether any of the values lies within the bounds of a file. */
  boolean mayBeIn(StoredFile.Bounds bounds) {
    return from(bounds) < until(bounds);
  }

  /** A filter for the row groups of a file that {@link #mayBeIn} let pass. */
  Expression filter(StoredFile.Bounds bounds) {
    if (!lead.field().type().equals(type)) {
      return Expressions.alwaysTrue();
    }
    int from = from(bounds);
    int until = until(bounds);
    String name = lead.field().name();
    if (until - from <= LISTED) {
      return Expressions.in(name, distinct(from, until));
    }
    return Expressions.and(
        Expressions.greaterThanOrEqual(name, values[from]),
        Expressions.lessThanOrEqual(name, values[until - 1]));
  }

  private List<Object> distinct(int from, int until) {
    List<Object> distinct = new ArrayList<>(until - from);
    for (int i = from; i < until; i++) {
      if (i == from || order.compare(values[i - 1], values[i]) != 0) {
        distinct.add(values[i]);
      }
    }
    return distinct;
  }

  private int from(StoredFile.Bounds bounds) {
    Object lower = bounds.lower(type);
    return lower == null ? 0 : firstNotBelow(lower, false);
  }

  private int until(StoredFile.Bounds bounds) {
    Object upper = bounds.upper(type);
    return upper == null ? values.length : firstNotBelow(upper, true);
  }

  /** The first index whose value is not below the bound, or is above it. */
  private int firstNotBelow(Object bound, boolean above) {
    int low = 0;
    int high = values.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int compared = order.compare(values[middle], bound);
      if (compared < 0 || (above && compared == 0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
