package io.onceberg.ingest.cli;

import io.onceberg.keystore.KeyProgress;
import io.onceberg.keystore.TargetName;
import java.io.PrintWriter;
import java.time.Duration;

/** Says how far long work got, every few seconds; of what is done sooner it says nothing. */
final class ProgressLines {
  private static final long INTERVAL_NANOS = Duration.ofSeconds(3).toNanos();

  private final PrintWriter out;
  private long said = System.nanoTime();

  ProgressLines(PrintWriter out) {
    this.out = out;
  }

  /** The progress of work on one target. */
  KeyProgress of(TargetName target) {
    return (step, done, total) -> at(target, step, done, total);
  }

  private synchronized void at(TargetName target, String step, long done, long total) {
    long now = System.nanoTime();
    if (now - said >= INTERVAL_NANOS) {
      said = now;
      out.printf("%s: %s, %,d of %,d%n", target, step, done, total);
      out.flush();
    }
  }
}
