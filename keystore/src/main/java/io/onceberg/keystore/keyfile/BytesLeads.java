package io.onceberg.keystore.keyfile;

import io.onceberg.keystore.keyfile.FileColumns.FileLeaf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.types.Type;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/** Lead values that are compared as bytes in unsigned order. */
final class BytesLeads extends LeadValues {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BIG_LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final long MIX = 0x9E3779B97F4A7C15L;
  private static final int FREE = -1;

  private final LeadType form;
  private byte[][] values;
  private long[] heads = {};
  private boolean sorted;
  private long[] mixed = {};
  private int[] slots = {};

  private BytesLeads(LeadType form, byte[][] values, int[] places) {
    super(places);
    this.form = form;
    this.values = values;
  }

  static BytesLeads of(
      LeadType form, Type type, int position, List<? extends InternalRow> rows, int[] places) {
    byte[][] values = new byte[rows.size()][];
    for (int i = 0; i < values.length; i++) {
      values[i] = form.bytes(rows.get(i), position, type);
    }
    return new BytesLeads(form, values, places);
  }

  private byte[][] values() {
    if (!sorted) {
      long[] prefixes = new long[values.length];
      for (int i = 0; i < prefixes.length; i++) {
        prefixes[i] = prefix(values[i], 0, values[i].length);
      }
      int[] order = inOrder(values, prefixes);
      byte[][] all = new byte[values.length][];
      heads = new long[values.length];
      int[] firsts = new int[values.length + 1];
      int n = 0;
      for (int i = 0; i < order.length; i++) {
        byte[] value = values[order[i]];
        if (n == 0 || !Arrays.equals(all[n - 1], value)) {
          heads[n] = prefixes[order[i]];
          firsts[n] = i;
          all[n++] = value;
        }
      }
      firsts[n] = order.length;
      values = Arrays.copyOf(all, n);
      order(order, firsts);
      sorted = true;
    }
    return values;
  }

  /** Sorts by the first eight bytes, then those that have them in common. */
  private static int[] inOrder(byte[][] values, long[] prefixes) {
    int[] order = RadixOrder.of(prefixes);
    int start = 0;
    for (int i = 1; i <= order.length; i++) {
      if (i == order.length || prefixes[order[i]] != prefixes[order[start]]) {
        if (i - start > 1) {
          sort(order, start, i, values);
        }
        start = i;
      }
    }
    return order;
  }

  private static void sort(int[] order, int from, int until, byte[][] values) {
    int[] sorted =
        Arrays.stream(order, from, until)
            .boxed()
            .sorted((one, other) -> Arrays.compareUnsigned(values[one], values[other]))
            .mapToInt(Integer::intValue)
            .toArray();
    System.arraycopy(sorted, 0, order, from, sorted.length);
  }

  /** The first eight bytes as a number in the same order; shorter values get zeros. */
  static long prefix(byte[] bytes, int start, int end) {
    long prefix;
    int length = end - start;
    if (length >= Long.BYTES) {
      prefix = (long) BIG_LONGS.get(bytes, start);
    } else {
      prefix = 0;
      for (int i = start; i < end; i++) {
        prefix = prefix << Byte.SIZE | (bytes[i] & 0xff);
      }
      prefix <<= (Long.BYTES - length) * Byte.SIZE % Long.SIZE;
    }
    return prefix ^ Long.MIN_VALUE;
  }

  @Override
  int count() {
    return values().length;
  }

  @Override
  boolean mayBeIn(byte @Nullable [] lower, byte @Nullable [] upper) {
    int from = lower == null ? 0 : notBelow(form.bytesOfBound(lower));
    int until = upper == null ? count() : notAbove(form.bytesOfBound(upper));
    return from < until;
  }

  @Override
  int from(PageBounds bounds, int page) {
    return notBelow(bounds.leastBytes(page));
  }

  @Override
  int until(PageBounds bounds, int page) {
    return notAbove(bounds.greatestBytes(page));
  }

  @Override
  int compareToLeast(int value, PageBounds bounds, int page) {
    return Arrays.compareUnsigned(values()[value], bounds.leastBytes(page));
  }

  @Override
  int compareToGreatest(int value, PageBounds bounds, int page) {
    return Arrays.compareUnsigned(values()[value], bounds.greatestBytes(page));
  }

  private int notBelow(byte[] bound) {
    int at = Arrays.binarySearch(values(), bound, Arrays::compareUnsigned);
    return at >= 0 ? at : -at - 1;
  }

  private int notAbove(byte[] bound) {
    int at = Arrays.binarySearch(values(), bound, Arrays::compareUnsigned);
    return at >= 0 ? at + 1 : -at - 1;
  }

  @Override
  void match(PageValues page, int from, int until, int firstRow, Matches matches) {
    int before = matches.count();
    if (form == LeadType.WIDE_DECIMAL || !merge(page, from, until, firstRow, matches)) {
      matches.cutTo(before);
      scan(page, firstRow, matches);
    }
  }

  /** Goes through a page and the batch side by side; false when the page has no order. */
  private boolean merge(PageValues page, int from, int until, int firstRow, Matches matches) {
    byte[] bytes = page.bytes();
    int at = from;
    for (int row = 0; row < page.rows; row++) {
      if (page.isNull(row)) {
        continue;
      }
      int start = page.start(row);
      int end = start + page.length(row);
      long head = prefix(bytes, start, end);
      int known = at;
      int order = -1;
      while (at < until && (order = compare(at, head, bytes, start, end)) < 0) {
        at++;
      }
      if (at == known && at > from && compare(at - 1, head, bytes, start, end) >= 0) {
        return false;
      }
      if (at < until && order == 0) {
        matches.add(firstRow + row, at);
      }
    }
    return true;
  }

  /** Where a value of the batch lies against one that begins with these eight bytes. */
  private int compare(int value, long head, byte[] bytes, int start, int end) {
    if (heads[value] != head) {
      return heads[value] < head ? -1 : 1;
    }
    byte[] mine = values[value];
    return Arrays.compareUnsigned(mine, 0, mine.length, bytes, start, end);
  }

  /** For pages without an order: looks for each of their values. */
  private void scan(PageValues page, int firstRow, Matches matches) {
    if (!hasBits()) {
      index();
    }
    for (int row = 0; row < page.rows; row++) {
      int value = page.isNull(row) ? FREE : find(page, row);
      if (value != FREE) {
        matches.add(firstRow + row, value);
      }
    }
  }

  private int find(PageValues page, int row) {
    if (form == LeadType.WIDE_DECIMAL) {
      byte[] wide =
          page.numeric() ? LeadType.wideOf(page.numbers()[row]) : LeadType.wideOf(page.copy(row));
      return find(wide, 0, wide.length);
    }
    return find(page.bytes(), page.start(row), page.length(row));
  }

  private void index() {
    byte[][] mine = values();
    openBits(mine.length);
    slots = new int[Integer.highestOneBit(Math.max(8, mine.length)) << 2];
    Arrays.fill(slots, FREE);
    mixed = new long[mine.length];
    for (int i = 0; i < mine.length; i++) {
      mixed[i] = mix(mine[i], 0, mine[i].length);
      addBit(mixed[i]);
      int slot = (int) mixed[i] & (slots.length - 1);
      while (slots[slot] != FREE) {
        slot = (slot + 1) & (slots.length - 1);
      }
      slots[slot] = i;
    }
  }

  /** The number of the value with these bytes; {@link #FREE} when there is none. */
  private int find(byte[] bytes, int start, int length) {
    long mix = mix(bytes, start, length);
    if (!mayHave(mix)) {
      return FREE;
    }
    int slot = (int) mix & (slots.length - 1);
    while (slots[slot] != FREE) {
      byte[] mine = values[slots[slot]];
      if (mixed[slots[slot]] == mix
          && Arrays.equals(mine, 0, mine.length, bytes, start, start + length)) {
        return slots[slot];
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    return FREE;
  }

  private static long mix(byte[] bytes, int start, int length) {
    long mix = length * MIX;
    int at = start;
    int end = start + length;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      mix = (mix ^ (long) LONGS.get(bytes, at)) * MIX;
      mix ^= mix >>> 32;
    }
    for (; at < end; at++) {
      mix = (mix ^ bytes[at]) * MIX;
      mix ^= mix >>> 32;
    }
    return mix * MIX;
  }

  @Override
  long hash(int value, FileLeaf leaf, ValueHash hash) {
    byte[] bytes = values()[value];
    if (form != LeadType.WIDE_DECIMAL) {
      return hash.of(bytes);
    }
    BigInteger unscaled = LeadType.unscaled(bytes);
    return switch (leaf.physical()) {
      case INT32 -> hash.of(unscaled.intValue());
      case INT64 -> hash.of(unscaled.longValue());
      default -> hash.of(bigEndian(unscaled, leaf.descriptor().getPrimitiveType().getTypeLength()));
    };
  }

  /** A number as Parquet stores it in a fixed length; one that is too long is in no such file. */
  static byte[] bigEndian(BigInteger number, int length) {
    byte[] shortest = number.toByteArray();
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) (number.signum() < 0 ? -1 : 0));
    int copied = Math.min(length, shortest.length);
    System.arraycopy(shortest, shortest.length - copied, bytes, length - copied, copied);
    return bytes;
  }
}
