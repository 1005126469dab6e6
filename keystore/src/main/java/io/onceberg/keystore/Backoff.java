package io.onceberg.keystore;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waiting between tries of a commit: longer each time, never the same for two writers. */
final class Backoff {
  private static final long FIRST_MILLIS = 25;
  private static final long LONGEST_MILLIS = 1_000;

  private Backoff() {}

  /** Waits before the try after the given one, counted from 1; an interrupt ends the wait. */
  static void pause(int tried) {
    long millis = Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(tried - 1, 10));
    long jittered = millis / 2 + ThreadLocalRandom.current().nextLong(millis);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(jittered));
  }
}
