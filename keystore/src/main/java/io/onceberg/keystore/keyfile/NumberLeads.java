package io.onceberg.keystore.keyfile;

import io.onceberg.keystore.keyfile.FileColumns.FileLeaf;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.types.Type;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/** Lead values that are signed 64-bit numbers. */
final class NumberLeads extends LeadValues {
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private final LeadType form;
  private final Type type;
  private final long least;
  private final long greatest;
  private long[] values;
  private boolean sorted;

  private NumberLeads(LeadType form, Type type, long[] values, int[] places) {
    super(places);
    this.form = form;
    this.type = type;
    this.values = values;
    long low = Long.MAX_VALUE;
    long high = Long.MIN_VALUE;
    for (long value : values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    this.least = low;
    this.greatest = high;
  }

  static NumberLeads of(
      LeadType form, Type type, int position, List<? extends InternalRow> rows, int[] places) {
    long[] values = new long[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = form.number(rows.get(i), position, type);
    }
    return new NumberLeads(form, type, values, places);
  }

  /** Sorted at the first need: a batch of new changes lies above all files and has none. */
  private long[] values() {
    if (!sorted) {
      long[] all = new long[values.length];
      int[] order = RadixOrder.of(values);
      int[] firsts = new int[order.length + 1];
      int n = 0;
      for (int i = 0; i < order.length; i++) {
        long value = values[order[i]];
        if (n == 0 || all[n - 1] != value) {
          firsts[n] = i;
          all[n++] = value;
        }
      }
      firsts[n] = order.length;
      values = n == all.length ? all : Arrays.copyOf(all, n);
      order(order, firsts);
      sorted = true;
    }
    return values;
  }

  @Override
  int count() {
    return values().length;
  }

  @Override
  boolean mayBeIn(byte @Nullable [] lower, byte @Nullable [] upper) {
    long low = lower == null ? Long.MIN_VALUE : form.numberOfBound(lower, type);
    long high = upper == null ? Long.MAX_VALUE : form.numberOfBound(upper, type);
    return greatest >= low && least <= high && notBelow(low) < notAbove(high);
  }

  @Override
  int from(PageBounds bounds, int page) {
    return notBelow(bounds.leastNumber(page));
  }

  @Override
  int until(PageBounds bounds, int page) {
    return notAbove(bounds.greatestNumber(page));
  }

  @Override
  int compareToLeast(int value, PageBounds bounds, int page) {
    return Long.compare(values()[value], bounds.leastNumber(page));
  }

  @Override
  int compareToGreatest(int value, PageBounds bounds, int page) {
    return Long.compare(values()[value], bounds.greatestNumber(page));
  }

  private int notBelow(long bound) {
    int at = Arrays.binarySearch(values(), bound);
    return at >= 0 ? at : -at - 1;
  }

  private int notAbove(long bound) {
    int at = Arrays.binarySearch(values(), bound);
    return at >= 0 ? at + 1 : -at - 1;
  }

  @Override
  void match(PageValues page, int from, int until, int firstRow, Matches matches) {
    long[] mine = values();
    if (!hasBits()) {
      openBits(mine.length);
      for (long value : mine) {
        addBit(value * MIX);
      }
    }
    if (page.numeric() && page.levels == null) {
      long[] numbers = page.numbers();
      for (int row = 0; row < page.rows; row++) {
        match(numbers[row], from, until, firstRow + row, matches);
      }
      return;
    }
    for (int row = 0; row < page.rows; row++) {
      if (!page.isNull(row)) {
        long number = page.numeric() ? page.numbers()[row] : unscaled(page, row);
        match(number, from, until, firstRow + row, matches);
      }
    }
  }

  private void match(long number, int from, int until, int row, Matches matches) {
    if (mayHave(number * MIX)) {
      int value = Arrays.binarySearch(values, from, until, number);
      if (value >= 0) {
        matches.add(row, value);
      }
    }
  }

  private static long unscaled(PageValues page, int row) {
    return new BigInteger(page.copy(row)).longValueExact();
  }

  @Override
  long hash(int value, FileLeaf leaf, ValueHash hash) {
    long number = values()[value];
    return switch (leaf.physical()) {
      case INT32 -> hash.of((int) number);
      case INT64 -> hash.of(number);
      default ->
          hash.of(
              BytesLeads.bigEndian(
                  BigInteger.valueOf(number),
                  leaf.descriptor().getPrimitiveType().getTypeLength()));
    };
  }
}
