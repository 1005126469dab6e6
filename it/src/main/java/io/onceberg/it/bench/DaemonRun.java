package io.onceberg.it.bench;

import io.onceberg.it.bench.DaemonLog.Batch;
import java.util.List;

/**
 * What the daemon did with a topic from its beginning to its end.
 *
 * @param log the commits of the rows table
 * @param firstPlanMillis when the first batch was planned, milliseconds since the epoch
 * @param cpuMicrosPerRow processor time per row after the first batch, microseconds
 * @param heapMegabytes heap in use after a full collection at the end
 * @param complaints how many warnings and errors it logged
 */
record DaemonRun(
    CommitLog log,
    long firstPlanMillis,
    List<Batch> batches,
    ProcessFigures figures,
    double cpuMicrosPerRow,
    long heapMegabytes,
    int complaints) {
  DaemonRun {
    batches = List.copyOf(batches);
  }

  double steady() {
    return log.steady();
  }

  /** Events per second from the first plan to the last commit, by a JVM that starts cold. */
  double toLastRow() {
    return log.toLastRow(firstPlanMillis);
  }
}
