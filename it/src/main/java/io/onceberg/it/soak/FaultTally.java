package io.onceberg.it.soak;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How many faults of each kind have hit; one that nobody felt is counted apart. */
final class FaultTally {
  private static final Logger LOG = LoggerFactory.getLogger(FaultTally.class);

  private final Map<String, Integer> hits = new TreeMap<>();
  private int unfelt;

  /** A fault that has hit. */
  synchronized void hit(String kind) {
    LOG.info("fault: {}", kind);
    hits.merge(kind, 1, Integer::sum);
  }

  /** A fault that came when there was nothing to hit. */
  synchronized void missed() {
    unfelt++;
  }

  synchronized int unfelt() {
    return unfelt;
  }

  synchronized int total() {
    return hits.values().stream().mapToInt(Integer::intValue).sum();
  }

  synchronized Map<String, Integer> byKind() {
    return new TreeMap<>(hits);
  }

  /** As {@code cut 12, kill daemon 3}: kinds without what comes after a slash taken together. */
  String summary() {
    Map<String, Integer> groups = new TreeMap<>();
    byKind().forEach((kind, n) -> groups.merge(kind.split("/", 2)[0], n, Integer::sum));
    return groups.entrySet().stream()
        .map(e -> e.getKey() + " " + e.getValue())
        .collect(Collectors.joining(", "));
  }
}
