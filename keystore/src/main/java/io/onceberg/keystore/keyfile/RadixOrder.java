package io.onceberg.keystore.keyfile;

/** Puts indexes into the order of their 64-bit numbers. */
public final class RadixOrder {
  private static final int DIGITS = 8;
  private static final int VALUES = 256;

  private RadixOrder() {}

  /**
   * The indexes of the numbers in their signed order; equal numbers keep theirs.
   *
   * <p>Sorts by one byte after another, the least first, and skips bytes in which all are equal:
   * numbers that lie close together cost few passes.
   */
  public static int[] of(long[] numbers) {
    int count = numbers.length;
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      order[i] = i;
    }
    if (isSorted(numbers)) {
      return order;
    }
    long[] keys = numbers.clone();
    long[] otherKeys = new long[count];
    int[] other = new int[count];
    int[][] counts = counts(numbers);
    for (int digit = 0; digit < DIGITS; digit++) {
      if (!starts(counts[digit], count)) {
        continue;
      }
      int[] next = counts[digit];
      for (int i = 0; i < count; i++) {
        int at = next[digit(keys[i], digit)]++;
        otherKeys[at] = keys[i];
        other[at] = order[i];
      }
      long[] sortedKeys = otherKeys;
      otherKeys = keys;
      keys = sortedKeys;
      int[] sorted = other;
      other = order;
      order = sorted;
    }
    return order;
  }

  private static boolean isSorted(long[] numbers) {
    for (int i = 1; i < numbers.length; i++) {
      if (numbers[i - 1] > numbers[i]) {
        return false;
      }
    }
    return true;
  }

  private static int[][] counts(long[] numbers) {
    int[][] counts = new int[DIGITS][VALUES];
    for (long number : numbers) {
      for (int digit = 0; digit < DIGITS; digit++) {
        counts[digit][digit(number, digit)]++;
      }
    }
    return counts;
  }

  /** Makes counts the first place of each value; false when all have the same value. */
  private static boolean starts(int[] counts, int all) {
    int start = 0;
    for (int value = 0; value < VALUES; value++) {
      int count = counts[value];
      if (count == all) {
        return false;
      }
      counts[value] = start;
      start += count;
    }
    return true;
  }

  /** One byte of the number with its sign bit turned, so that negative ones come first. */
  private static int digit(long number, int digit) {
    return (int) ((number ^ Long.MIN_VALUE) >>> (digit << 3)) & (VALUES - 1);
  }
}
