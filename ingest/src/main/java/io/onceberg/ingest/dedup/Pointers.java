package io.onceberg.ingest.dedup;

import java.util.Arrays;

/** A growing list of numbers: frame pointers, or hashes. */
final class Pointers {
  private long[] values = new long[64];
  private int size;

  void add(long pointer) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = pointer;
  }

  long at(int index) {
    return values[index];
  }

  /** The place of a number in a list that rises. */
  int placeOf(long number) {
    return Arrays.binarySearch(values, 0, size, number);
  }

  int size() {
    return size;
  }
}
