package io.onceberg.keystore.keyfile;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The values of one page, by row. Numbers of every width, booleans and the bits of floating-point
 * numbers are longs; all else is bytes.
 */
final class PageValues {
  private static final int FIRST_CAPACITY = 1 << 12;

  final int rows;

  /** Definition levels; null when no value is null. */
  final byte @Nullable [] levels;

  private final int level;
  private final boolean numeric;
  private long[] numbers = {};
  private byte[] bytes = {};
  private int[] starts = {};
  private int[] ends = {};
  private int used;

  /**
   * Takes room for values.
   *
   * @param level the definition level of a value that is not null
   */
  PageValues(int rows, byte @Nullable [] levels, int level, boolean numeric) {
    this.rows = rows;
    this.levels = levels;
    this.level = level;
    this.numeric = numeric;
    if (numeric) {
      numbers = new long[rows];
    } else {
      starts = new int[rows];
      ends = new int[rows];
    }
  }

  boolean numeric() {
    return numeric;
  }

  boolean isNull(int row) {
    byte[] known = levels;
    return known != null && known[row] < level;
  }

  /** Whether the value, or a struct around it that is null, is at least at this level. */
  boolean reaches(int row, int least) {
    byte[] known = levels;
    return known == null || known[row] >= least;
  }

  /** All numbers, by row; those of nulls mean nothing. */
  long[] numbers() {
    return numbers;
  }

  /** The bytes in which values lie. */
  byte[] bytes() {
    return bytes;
  }

  int start(int row) {
    return starts[row];
  }

  int length(int row) {
    return ends[row] - starts[row];
  }

  byte[] copy(int row) {
    return Arrays.copyOfRange(bytes, starts[row], ends[row]);
  }

  // ---- filling

  /** Lets values lie in bytes that are there already. */
  void share(byte[] shared) {
    bytes = shared;
  }

  void set(int row, int start, int length) {
    starts[row] = start;
    ends[row] = start + length;
  }

  void append(int row, byte[] value) {
    if (used + value.length > bytes.length) {
      bytes =
          Arrays.copyOf(bytes, Math.max(FIRST_CAPACITY, Math.max(2 * used, used + value.length)));
    }
    System.arraycopy(value, 0, bytes, used, value.length);
    set(row, used, value.length);
    used += value.length;
  }
}
