package io.onceberg.ingest.loop;

import io.onceberg.error.OncebergException;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.keystore.TargetName;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was done since the last summary, logged once per interval. */
final class Totals {
  private static final Logger LOG = LoggerFactory.getLogger(Totals.class);

  private final Duration interval;
  private Stopwatch since = new Stopwatch();
  private long batches;
  private long read;
  private long rows;
  private long replays;
  private long quarantined;

  Totals(Duration interval) {
    this.interval = interval;
  }

  void add(TargetReport report) {
    batches++;
    read += report.read();
    rows += report.rows();
    replays += report.inBatch() + report.connectorReplay() + report.snapshotOverlap();
    quarantined += report.quarantined().values().stream().mapToLong(Long::longValue).sum();
  }

  /** Logs when the interval is over and there is anything to say. */
  void logIfDue(long pending, Map<TargetName, OncebergException> stopped) {
    if (!since.hasReached(interval)) {
      return;
    }
    if (batches > 0 || pending > 0 || !stopped.isEmpty()) {
      LOG.info(
          "summary seconds={} batches={} read={} rows={} replays={} quarantined={} pending={}"
              + " stopped={}",
          since.elapsed().toSeconds(),
          batches,
          read,
          rows,
          replays,
          quarantined,
          pending,
          stopped.isEmpty() ? "0" : text(stopped));
    }
    since = new Stopwatch();
    batches = 0;
    read = 0;
    rows = 0;
    replays = 0;
    quarantined = 0;
  }

  private static String text(Map<TargetName, OncebergException> stopped) {
    return stopped.entrySet().stream()
        .map(entry -> entry.getKey() + ":" + entry.getValue().code().label())
        .sorted()
        .collect(Collectors.joining(","));
  }
}
