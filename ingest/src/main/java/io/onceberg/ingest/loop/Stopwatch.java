package io.onceberg.ingest.loop;

import java.time.Duration;

/**
 * Time that passes since it was made, whatever is done to the clock of the machine: one that is set
 * back must not make anything wait until it has caught up.
 */
final class Stopwatch {
  private final long begun = System.nanoTime();

  Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - begun);
  }

  boolean hasReached(Duration time) {
    return elapsed().compareTo(time) >= 0;
  }
}
