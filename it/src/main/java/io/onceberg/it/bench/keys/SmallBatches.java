package io.onceberg.it.bench.keys;

import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.ingest.source.BatchPlanner;
import io.onceberg.ingest.source.SourcePlan;
import io.onceberg.it.bench.BenchException;
import io.onceberg.keystore.SourceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The fixed cost of a batch: few rows, planned and run one after another as the daemon would. */
final class SmallBatches {
  static final int ROWS = 100;
  static final int BAR_MILLIS = 300;
  static final String TOPIC = "bench.batch.small.events";

  private SmallBatches() {}

  static List<long[]> numbers(EventNumbers numbers, int measured) {
    return numbers.small(2 * measured, ROWS);
  }

  /** Plans and runs the batches that wait; gives the milliseconds of the second half. */
  static List<Double> run(Ingest ingest, int measured) {
    List<Double> millis = new ArrayList<>();
    try (BatchPlanner planner = ingest.planner(TOPIC, ROWS)) {
      for (int i = 0; i < 2 * measured; i++) {
        long start = System.nanoTime();
        SourcePlan plan = planner.plan(Set.of());
        List<SourceRange> ranges = plan.ranges().get(Ingest.EVENTS);
        if (ranges == null) {
          throw new BenchException("small batches: only " + i + " were there");
        }
        TargetReport report = ingest.batch(ranges, false);
        millis.add((System.nanoTime() - start) / 1e6);
        Contender.check(Measure.BATCH, "rows of a small batch added", ROWS, report.rows());
      }
    }
    return millis.subList(measured, millis.size());
  }
}
