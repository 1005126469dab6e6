package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.keystore.CommitOutcome.Committed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Old snapshots go with the commits of batches, and nothing else goes. */
class SnapshotExpiryTest {
  private enum Means {
    SQL,
    REST,
    ROLL_FORWARD
  }

  private static final int ENOUGH = SnapshotRetention.AT_ONCE + 15;

  @TempDir Path directory;

  private Lake lake(Map<String, String> properties) {
    return young(Lake.open(Lake.sqlite(directory)).create(properties));
  }

  /** Keeps few snapshots of each table. */
  private static Lake young(Lake lake) {
    lake.snapshots = new SnapshotSettings(10, 0);
    return lake;
  }

  /** Commits the batches that have these ids, one each. */
  private static void commit(Lake lake, long from, long until) {
    Standing now = lake.standing();
    for (long id = from; id < until; id++) {
      TargetCommit.Ending ending = lake.next(now, id);
      assertThat(ending.outcome()).isInstanceOf(Committed.class);
      now = ending.standing() == null ? lake.standing() : ending.standing();
    }
  }

  private static void check(Table table, long... ids) {
    assertThat(Lake.ids(table)).containsExactlyElementsOf(LongStream.of(ids).boxed().toList());
    for (Snapshot snapshot : table.snapshots()) {
      assertThat(Lake.idsAt(table, snapshot))
          .hasSize(Integer.parseInt(snapshot.summary().get("total-records")));
    }
  }

  private static long[] upTo(long last) {
    return LongStream.rangeClosed(1, last).toArray();
  }

  @ParameterizedTest
  @EnumSource
  void dropsThemWhateverMovesTheTables(Means means) throws Exception {
    try (AtomicRestServer server =
            means == Means.REST ? new AtomicRestServer(directory, true) : null;
        Lake lake = open(means, server)) {
      commit(lake, 1, ENOUGH + 1);
      Table keys = server == null ? lake.keys() : server.behind.keys();
      assertThat(keys.snapshots()).hasSizeLessThan(ENOUGH);
      check(keys, upTo(ENOUGH));
      assertThat(Lake.filesOf(keys)).isEqualTo(Lake.filesNamed(keys));
      assertThat(lake.standing().ledger().lastBatch())
          .extracting(BatchId::sequence)
          .isEqualTo((long) ENOUGH);
    }
  }

  private Lake open(Means means, @Nullable AtomicRestServer server) {
    return switch (means) {
      case SQL -> lake(Map.of());
      case ROLL_FORWARD -> young(Lake.open(Lake.hadoop(directory)).create());
      case REST -> young(Lake.open(Objects.requireNonNull(server).settings(Map.of())));
    };
  }

  /** A table of which nothing may go by its own properties. */
  @ParameterizedTest
  @CsvSource({
    "gc.enabled, false",
    "history.expire.min-snapshots-to-keep, 1000",
    "history.expire.max-snapshot-age-ms, 86400000"
  })
  void theTablesOwnPropertiesKeepThem(String property, String value) throws Exception {
    try (Lake lake = lake(Map.of(property, value))) {
      commit(lake, 1, ENOUGH + 1);
      assertThat(lake.keys().snapshots()).hasSize(ENOUGH);
      assertThat(lake.rows().snapshots()).hasSize(ENOUGH);
    }
  }

  /** What a tag holds stays, and with it a key file that a merge replaced since. */
  @Test
  void aTagKeepsItsSnapshotWithItsFiles() throws Exception {
    try (Lake lake = lake(Map.of())) {
      commit(lake, 1, 4);
      Table keys = lake.keys();
      long tagged = keys.currentSnapshot().snapshotId();
      keys.manageSnapshots().createTag("audit", tagged).commit();
      rewrite(keys);
      commit(lake, 4, ENOUGH + 1);
      keys.refresh();
      assertThat(keys.snapshots()).hasSizeLessThan(ENOUGH);
      check(keys, upTo(ENOUGH));
      assertThat(Lake.idsAt(keys, keys.snapshot(tagged))).containsExactly(1L, 2L, 3L);
      assertThat(Lake.filesOf(keys)).containsAll(Lake.filesNamed(keys));
    }
  }

  /** Snapshots that are no ancestors go, too; what the table returned to stays. */
  @Fault(
      area = Area.MAINTENANCE,
      what = "tables are rolled back, then old snapshots are dropped",
      outcome = "nothing that the tables returned to is dropped")
  @Test
  void tablesThatWereRolledBackLoseNothing() throws Exception {
    try (Lake lake = lake(Map.of())) {
      commit(lake, 1, 6);
      long rows = lake.rows().currentSnapshot().snapshotId();
      long keys = lake.keys().currentSnapshot().snapshotId();
      rewrite(lake.keys());
      commit(lake, 6, 9);
      lake.rows().manageSnapshots().rollbackTo(rows).commit();
      lake.keys().manageSnapshots().rollbackTo(keys).commit();
      commit(lake, 6, ENOUGH + 1);
      for (Table table : List.of(lake.rows(), lake.keys())) {
        assertThat(table.snapshots()).hasSizeLessThan(ENOUGH);
        check(table, upTo(ENOUGH));
        assertThat(Lake.filesOf(table)).containsAll(Lake.filesNamed(table));
      }
    }
  }

  /** The user's own changes of the rows, and compaction of either table. */
  @Test
  void filesThatOthersReplacedGoWithTheLastSnapshotThatHeldThem() throws Exception {
    try (Lake lake = lake(Map.of())) {
      commit(lake, 1, 10);
      lake.rows().newDelete().deleteFile(files(lake.rows()).get(0)).commit();
      rewrite(lake.rows());
      rewrite(lake.keys());
      commit(lake, 10, ENOUGH + 60);
      for (Table table : List.of(lake.rows(), lake.keys())) {
        assertThat(Lake.filesOf(table)).isEqualTo(Lake.filesNamed(table));
      }
      assertThat(Lake.ids(lake.rows())).hasSize(ENOUGH + 58);
      check(lake.keys(), upTo(ENOUGH + 59));
    }
  }

  /** A process that dies before it cleans up leaves files that no snapshot names. */
  @Fault(
      area = Area.KILL,
      what = "the process dies before the files of dropped snapshots are deleted",
      outcome = "files stay behind that no snapshot names; the tables are whole")
  @Test
  void withoutCleanupFilesStayBehindAndNothingElse() throws Exception {
    try (Lake lake = lake(Map.of())) {
      lake.cleanup = task -> {};
      commit(lake, 1, ENOUGH + 1);
      Table keys = lake.keys();
      check(keys, upTo(ENOUGH));
      assertThat(Lake.filesOf(keys)).containsAll(Lake.filesNamed(keys));
      int left = Lake.filesOf(keys).size() - Lake.filesNamed(keys).size();
      assertThat(left).isGreaterThanOrEqualTo(SnapshotRetention.AT_ONCE);
      lake.cleanup = Runnable::run;
      commit(lake, ENOUGH + 1, 2 * ENOUGH + 1);
      check(lake.keys(), upTo(2 * ENOUGH));
      assertThat(Lake.filesOf(lake.keys()).size() - Lake.filesNamed(lake.keys()).size())
          .isEqualTo(left);
    }
  }

  /** A batch that loses deletes nothing of the snapshots that it would have dropped. */
  @Fault(
      area = Area.MAINTENANCE,
      what = "a batch that would drop old snapshots is fenced",
      outcome = "it drops none")
  @Test
  void aBatchThatIsFencedDropsNothing() throws Exception {
    try (Lake lake = lake(Map.of())) {
      lake.snapshots = new SnapshotSettings(0, Long.MAX_VALUE);
      commit(lake, 1, ENOUGH + 1);
      lake.snapshots = new SnapshotSettings(10, 0);
      Standing base = lake.standing();
      lake.keys().newFastAppend().appendFile(Lake.file(lake.keys(), 900)).commit();
      assertThat(lake.next(base, ENOUGH + 1).outcome()).isInstanceOf(CommitOutcome.Fenced.class);
      assertThat(lake.rows().snapshots()).hasSize(ENOUGH);
      check(lake.rows(), upTo(ENOUGH));
      assertThat(lake.keys().snapshots()).hasSize(ENOUGH + 1);
    }
  }

  private static List<DataFile> files(Table table) {
    List<DataFile> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      tasks.forEach(task -> files.add(task.file()));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return files;
  }

  /** Writes all of a table into one other file. */
  private static void rewrite(Table table) {
    RewriteFiles rewrite = table.newRewrite();
    files(table).forEach(rewrite::deleteFile);
    rewrite.addFile(Lake.file(table, Lake.ids(table).stream().mapToLong(id -> id).toArray()));
    rewrite.commit();
    table.refresh();
  }
}
