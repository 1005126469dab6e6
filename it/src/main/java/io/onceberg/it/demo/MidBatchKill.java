package io.onceberg.it.demo;

import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.ops.PlanLine;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceProgress;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.Warehouse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a kill interrupted: for each target, the offsets that were planned and, as the tables
 * themselves show, not committed.
 */
record MidBatchKill(Map<String, List<PlanLine.Range>> lost) {
  MidBatchKill {
    lost = Map.copyOf(lost);
  }

  /** Looks into the ledgers of the targets whose batches were in work. */
  static MidBatchKill of(Map<String, PlanLine> open, DaemonConfig config) {
    Map<String, List<PlanLine.Range>> lost = new HashMap<>();
    try (Warehouse warehouse = Warehouse.open(config.catalog())) {
      open.forEach(
          (target, plan) -> {
            TargetName name = TargetName.parse(target);
            Ledger ledger = warehouse.target(config.target(name).table()).ledger();
            lost.put(target, plan.ranges().stream().filter(r -> !covers(ledger, r)).toList());
          });
    }
    return new MidBatchKill(lost);
  }

  /** Whether the batch of every target was cut off. */
  boolean hitAll() {
    return DemoTable.ALL.stream()
        .allMatch(t -> !lost.getOrDefault(t.target(), List.of()).isEmpty());
  }

  /** How many of the lost records these later plans have read again. */
  long readAgain(String target, List<PlanLine> later) {
    return lost.getOrDefault(target, List.of()).stream()
        .mapToLong(range -> again(range, later))
        .sum();
  }

  private static long again(PlanLine.Range lost, List<PlanLine> later) {
    return later.stream()
        .flatMap(plan -> plan.ranges().stream())
        .filter(range -> range.partition().equals(lost.partition()))
        .mapToLong(r -> Math.min(r.until(), lost.until()) - Math.max(r.from(), lost.from()))
        .filter(overlap -> overlap > 0)
        .sum();
  }

  private static boolean covers(Ledger ledger, PlanLine.Range range) {
    SourcePartition partition = range.partition();
    long next = ledger.progress(partition).map(SourceProgress::nextOffset).orElse(0L);
    return next >= range.until();
  }
}
