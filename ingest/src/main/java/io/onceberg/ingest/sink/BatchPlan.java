package io.onceberg.ingest.sink;

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
}
