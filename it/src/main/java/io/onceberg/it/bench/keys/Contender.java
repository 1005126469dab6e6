package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.BenchException;

/** One way to take a batch of which a part is stored already. */
interface Contender {
  Measure measure();

  /** Makes ready for a batch of {@link EventNumbers}; not timed. */
  void prepare(Duplicates duplicates, int batch);

  /** Does the work, which is timed. */
  void run();

  /**
   * Checks the result and puts everything back as it was; not timed.
   *
   * @throws BenchException when the result is wrong
   */
  void settle();

  /** Fails unless a result is what it must be. */
  static void check(Measure measure, String what, long expected, long found) {
    if (expected != found) {
      throw new BenchException(
          "%s: %,d %s instead of %,d".formatted(measure.label(), found, what, expected));
    }
  }
}
