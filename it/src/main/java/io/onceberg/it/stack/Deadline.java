package io.onceberg.it.stack;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A point in time after which waiting is given up. */
public final class Deadline {
  private static final long STEP_MILLIS = 10;

  private final long endNanos;

  private Deadline(long endNanos) {
    this.endNanos = endNanos;
  }

  public static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  /**
   * Waits until a condition holds.
   *
   * @return false when the time was up before
   */
  public boolean await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      if (!pause()) {
        return condition.getAsBoolean();
      }
    }
    return true;
  }

  public boolean passed() {
    return System.nanoTime() - endNanos >= 0;
  }

  /**
   * Waits one short step before a condition is looked at again.
   *
   * @return false once the time is up
   */
  public boolean pause() {
    if (passed()) {
      return false;
    }
    try {
      Thread.sleep(STEP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while waiting", e);
    }
    return true;
  }
}
