package io.onceberg.ingest.source;

import io.onceberg.error.OncebergException;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.TargetName;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What can be read now.
 *
 * @param ranges for each target that has something to read, its ranges in order
 * @param refused targets that cannot go on, and why
 * @param pending records that wait in Kafka, those of the plan among them
 * @param full whether the limits left something out, so that waiting would gain nothing
 * @param undivided topics of one partition, whose records lie in the order they were sent in
 */
public record SourcePlan(
    Map<TargetName, List<SourceRange>> ranges,
    Map<TargetName, OncebergException> refused,
    long pending,
    boolean full,
    Set<String> undivided) {
  public static final SourcePlan NOTHING = new SourcePlan(Map.of(), Map.of(), 0, false, Set.of());

  public SourcePlan {
    ranges = Map.copyOf(ranges);
    refused = Map.copyOf(refused);
    undivided = Set.copyOf(undivided);
  }

  /** How many offsets the plan covers. */
  public long size() {
    return ranges.values().stream().flatMap(List::stream).mapToLong(SourceRange::length).sum();
  }
}
