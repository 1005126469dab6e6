package io.onceberg.it.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/**
 * A figure beside what it should reach.
 *
 * @param name what was measured, with its unit
 * @param atLeast true when more is better
 */
public record Bar(String name, double measured, double bar, boolean atLeast) {
  /** Whether there is a figure; without one it is not a number. */
  public boolean isMeasured() {
    return !Double.isNaN(measured);
  }

  public boolean isMet() {
    return atLeast ? measured >= bar : measured <= bar;
  }

  public ObjectNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("name", name);
    return node.put("measured", isMeasured() ? measured : null)
        .put("bar", bar)
        .put("met", isMeasured() ? isMet() : null)
        .put("verdict", verdict());
  }

  /** Met, or missed by how much, percent of the bar. */
  public String verdict() {
    if (!isMeasured()) {
      return "not measured";
    }
    double missing = 100 * Math.abs(measured - bar) / bar;
    return isMet() ? "met" : String.format(Locale.ROOT, "missed by %.0f %%", missing);
  }
}
