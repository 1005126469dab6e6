package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.Rng;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Which events the target holds and which a batch brings, by number. Numbers below {@code keys} are
 * stored, day by day; those from there on are new.
 */
record EventNumbers(long keys, int batchRows) {
  static final int DAYS = 10;

  /** Batches of one share of duplicates that are told apart. */
  private static final int MOST_BATCHES = 1_000;

  EventNumbers {
    if (keys < DAYS || keys % DAYS != 0) {
      throw new IllegalArgumentException(
          "--keys must be a multiple of %d, not %d".formatted(DAYS, keys));
    }
    if (batchRows < 100 || batchRows % 100 != 0 || batchRows > keys / DAYS) {
      throw new IllegalArgumentException(
          "--rows must be a multiple of 100 and at most a day's keys (%d), not %d"
              .formatted(keys / DAYS, batchRows));
    }
  }

  long keysOfDay() {
    return keys / DAYS;
  }

  /** How many rows of a batch are not stored yet. */
  int novel(Duplicates duplicates) {
    return batchRows - stored(duplicates);
  }

  /** How many rows of a batch are stored already. */
  int stored(Duplicates duplicates) {
    return Math.toIntExact((long) batchRows * duplicates.percent() / 100);
  }

  /** The events of a batch, each once, stored and new ones mixed. */
  long[] batch(Duplicates duplicates, int batch) {
    long first = duplicates.lastDay() ? keys - keysOfDay() : 0;
    long range = keys - first;
    long stride = stride(range);
    long offset = Long.remainderUnsigned(Rng.mix(101L * batch + duplicates.percent()), range);
    long fresh = keys + ((long) MOST_BATCHES * duplicates.percent() + batch) * batchRows;
    long[] numbers = new long[batchRows];
    long drawn = 0;
    for (int i = 0; i < batchRows; i++) {
      boolean stored = i % 100 < duplicates.percent();
      numbers[i] = stored ? first + (offset + drawn++ * stride) % range : fresh++;
    }
    return numbers;
  }

  /** Small batches of new events, which no other batch brings. */
  List<long[]> small(int batches, int rows) {
    long fresh = keys + 101L * MOST_BATCHES * batchRows;
    List<long[]> all = new ArrayList<>();
    for (int batch = 0; batch < batches; batch++) {
      long first = fresh + (long) batch * rows;
      all.add(LongStream.range(first, first + rows).toArray());
    }
    return all;
  }

  /** A step that meets every number of a range before it meets one twice. */
  private static long stride(long range) {
    long stride = Math.max(1, (long) (range * 0.618033988749895));
    while (gcd(stride, range) != 1) {
      stride++;
    }
    return stride;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
