package io.onceberg.it.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.bench.DaemonLog.Batch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonLogTest {
  private static final String BATCH =
      "2026-11-30T01:00:02.250Z INFO  IngestLoop batch target=bench.orders id=b1 read=100 rows=90"
          + " in_batch=4 connector_replay=6 snapshot_overlap=0 conflicts_dropped=0 quarantined=0"
          + " quarantined_before=0 tombstones=0 control=0 millis=310\n";

  @TempDir private Path directory;

  @Test
  void takesEachWholeLineOnce() throws IOException {
    Path file = directory.resolve("daemon.log");
    Files.writeString(
        file,
        "2026-11-30T01:00:01.000Z INFO  IngestLoop plan target=bench.orders id=b1 ranges=t-0:0-100\n"
            + "2026-11-30T01:00:01.500Z WARN  Other something\n"
            + BATCH.substring(0, 60));
    DaemonLog log = new DaemonLog(file);
    log.refresh();
    assertThat(log.batches()).isEmpty();
    assertThat(log.complaints()).hasSize(1);
    assertThat(log.firstPlanMillis())
        .isEqualTo(Instant.parse("2026-11-30T01:00:01.000Z").toEpochMilli());

    Files.writeString(file, BATCH.substring(60), StandardOpenOption.APPEND);
    log.refresh();
    log.refresh();
    long at = Instant.parse("2026-11-30T01:00:02.250Z").toEpochMilli();
    assertThat(log.batches()).containsExactly(new Batch(at, 100, 90, 6, 310));
    assertThat(log.read()).isEqualTo(100);
  }
}
