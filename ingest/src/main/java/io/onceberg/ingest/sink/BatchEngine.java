package io.onceberg.ingest.sink;

import java.util.List;

/** Takes a planned batch through every stage to its commits. */
public interface BatchEngine {
  /**
   * Runs one batch.
   *
   * @return one result for each target of the plan
   * @throws io.onceberg.error.OncebergException when the batch as a whole could not be run (Kafka,
   *     registry or catalog unreachable); nothing is committed then
   */
  List<TargetResult> run(BatchPlan plan);
}
