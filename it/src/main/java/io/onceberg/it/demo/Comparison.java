package io.onceberg.it.demo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Two collections of events held against each other, each event as often as it occurs. */
final class Comparison {
  private static final int EXAMPLES = 3;

  private final Map<String, Integer> open = new HashMap<>();
  private long found;

  /** An event that the database recorded. */
  void expect(String event) {
    open.merge(event, 1, Integer::sum);
  }

  /** A row that lies in Iceberg. */
  void find(String event) {
    found++;
    if (open.merge(event, -1, Integer::sum) == 0) {
      open.remove(event);
    }
  }

  long rows() {
    return found;
  }

  /** Events of the database that have no row. */
  long missing() {
    return open.values().stream().filter(n -> n > 0).mapToLong(Integer::longValue).sum();
  }

  /** Rows that no event of the database accounts for. */
  long extra() {
    return -open.values().stream().filter(n -> n < 0).mapToLong(Integer::longValue).sum();
  }

  /** A few of the differences, for the reader of a failed demo. */
  List<String> examples() {
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
