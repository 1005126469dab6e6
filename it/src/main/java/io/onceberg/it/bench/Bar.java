package io.onceberg.it.bench;

import java.util.Locale;

/**
 * A figure beside what it should reach.
 *
 * @param name what was measured, with its unit
 * @param atLeast true when more is better
 */
public record Bar(String name, double measured, double bar, boolean atLeast) {
  public boolean isMet() {
    return atLeast ? measured >= bar : measured <= bar;
  }

  /** Met, or missed by how much, percent of the bar. */
  public String verdict() {
    if (Double.isNaN(measured)) {
      return "not measured";
    }
    double missing = 100 * Math.abs(measured - bar) / bar;
    return isMet() ? "met" : String.format(Locale.ROOT, "missed by %.0f %%", missing);
  }
}
