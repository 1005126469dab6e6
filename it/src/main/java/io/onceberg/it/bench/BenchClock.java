package io.onceberg.it.bench;

/** The wall clock, against which snapshots' commit times are read. */
final class BenchClock {
  private BenchClock() {}

  /** Milliseconds since the epoch. */
  static long millis() {
    // edge: wall clock
    return System.currentTimeMillis();
    // edge: end
  }
}
