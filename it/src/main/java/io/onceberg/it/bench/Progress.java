package io.onceberg.it.bench;

import java.io.PrintWriter;
import java.util.Locale;

/** Lines for people who wait. */
public record Progress(PrintWriter out) {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  public void say(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
    out.flush();
  }

  /** Says how far a long step is, at most every ten seconds. */
  public final class Step {
    private final String name;
    private final long total;
    private final long start = System.nanoTime();
    private long said = start;

    public Step(String name, long total) {
      this.name = name;
      this.total = total;
    }

    public void at(long done) {
      long now = System.nanoTime();
      if (now - said >= 10 * NANOS_PER_SECOND && done < total) {
        said = now;
        say("%s: %,d of %,d (%,.0f/s)", name, done, total, perSecond(done, now));
      }
    }

    public void done() {
      long now = System.nanoTime();
      double seconds = (now - start) / (double) NANOS_PER_SECOND;
      say("%s: %,d in %.1f s (%,.0f/s)", name, total, seconds, perSecond(total, now));
    }

    private double perSecond(long done, long now) {
      return done * (double) NANOS_PER_SECOND / (now - start);
    }
  }
}
