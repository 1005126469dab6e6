package io.onceberg.it.platform;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Two collections of events held against each other, each event as often as it occurs. */
public final class Comparison {
  private static final int EXAMPLES = 3;

  private final Map<String, Integer> open = new HashMap<>();
  private long found;

  /** An event that the database recorded. */
  public void expect(String event) {
    open.merge(event, 1, Integer::sum);
  }

  /** A row that lies in Iceberg. */
  public void find(String event) {
    found++;
    if (open.merge(event, -1, Integer::sum) == 0) {
      open.remove(event);
    }
  }

  public long rows() {
    return found;
  }

  /** Events of the database that have no row. */
  public long missing() {
    return open.values().stream().filter(n -> n > 0).mapToLong(Integer::longValue).sum();
  }

  /** Rows that no event of the database accounts for. */
  public long extra() {
    return -open.values().stream().filter(n -> n < 0).mapToLong(Integer::longValue).sum();
  }

  /** A few of the differences, for the reader of a failed run. */
  public List<String> examples() {
    List<String> examples = new ArrayList<>();
    open.entrySet().stream()
        .filter(e -> e.getValue() > 0)
        .limit(EXAMPLES)
        .forEach(e -> examples.add("missing: " + e.getKey()));
    open.entrySet().stream()
        .filter(e -> e.getValue() < 0)
        .limit(EXAMPLES)
        .forEach(e -> examples.add("extra:   " + e.getKey()));
    return examples;
  }
}
