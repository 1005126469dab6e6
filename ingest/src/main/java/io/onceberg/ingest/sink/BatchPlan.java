package io.onceberg.ingest.sink;

import io.onceberg.ingest.source.SourcePlan;
import java.time.Instant;
import java.util.List;

/**
 * One batch over all targets that have something to read.
 *
 * @param referenceTime the batch's only time; {@code loaded_date} is its UTC day
 */
public record BatchPlan(List<TargetPlan> targets, Instant referenceTime) {
  public BatchPlan {
    targets = List.copyOf(targets);
  }

  /** A batch of all that was found to read. */
  public static BatchPlan of(SourcePlan found, Instant referenceTime) {
    List<TargetPlan> targets =
        found.ranges().entrySet().stream()
            .map(each -> new TargetPlan(each.getKey(), each.getValue(), found.undivided()))
            .toList();
    return new BatchPlan(targets, referenceTime);
  }
}
