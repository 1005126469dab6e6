package io.onceberg.it.bench;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;

/**
 * What a table's snapshots say about the pace of its writer: when each commit was made and how many
 * rows lay in the table then. The same reading for every writer.
 */
record CommitLog(List<Commit> commits) {
  /**
   * One commit.
   *
   * @param millis when, milliseconds since the epoch
   * @param rows rows in the table after it
   */
  record Commit(long millis, long rows) {}

  CommitLog {
    commits = List.copyOf(commits);
  }

  static CommitLog of(Table table) {
    List<Commit> commits = new ArrayList<>();
    long rows = 0;
    for (Snapshot snapshot : table.snapshots()) {
      String added = snapshot.summary().get(SnapshotSummary.ADDED_RECORDS_PROP);
      rows += added == null ? 0 : Long.parseLong(added);
      commits.add(new Commit(snapshot.timestampMillis(), rows));
    }
    return new CommitLog(commits);
  }

  long rows() {
    return commits.isEmpty() ? 0 : commits.get(commits.size() - 1).rows();
  }

  /** When the table first held that many rows, milliseconds since the epoch. */
  long reachedMillis(long rows) {
    return commits.stream()
        .filter(commit -> commit.rows() >= rows)
        .findFirst()
        .orElseThrow(() -> new BenchException("only %d of %d rows".formatted(rows(), rows)))
        .millis();
  }

  /** Rows per second from a moment to the commit that brought the last row. */
  double toLastRow(long startMillis) {
    return perSecond(rows(), reachedMillis(rows()) - startMillis);
  }

  /**
   * Rows per second between the first commit and the last one before the end: warmed up, and
   * without the tail, during which the writer mostly waits. With fewer than three commits there is
   * no such stretch.
   */
  double steady() {
    long last = rows();
    List<Commit> full =
        commits.stream().filter(commit -> commit.rows() > 0 && commit.rows() < last).toList();
    if (full.size() < 2) {
      return Double.NaN;
    }
    Commit from = full.get(0);
    Commit until = full.get(full.size() - 1);
    return perSecond(until.rows() - from.rows(), until.millis() - from.millis());
  }

  private static double perSecond(long rows, long millis) {
    return millis <= 0 ? Double.NaN : rows * 1000.0 / millis;
  }
}
