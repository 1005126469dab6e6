package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.keystore.CommitOutcome.Committed;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MergeCommitTest {
  private enum Means {
    SQL,
    REST,
    ROLL_FORWARD
  }

  @TempDir Path directory;

  /** Three batches, and a fourth that merges the keys of the first two. */
  private final class Shop implements AutoCloseable {
    final List<Closeable> open = new ArrayList<>();
    final Lake lake;
    private @Nullable Lake behind;
    final Standing base;
    final List<DataFile> old;
    final StagedFiles files;
    final String merged;

    Shop(Means means) throws Exception {
      this.lake = lake(means);
      for (long id = 1; id <= 3; id++) {
        assertThat(lake.next(id)).isInstanceOf(Committed.class);
      }
      this.base = lake.standing();
      this.old = Lake.live(lake.keys()).stream().filter(f -> upper(f) <= 2).toList();
      DataFile both = Lake.file(lake.keys(), 1, 2);
      StagedFiles fresh = lake.files(4);
      this.merged = both.location();
      this.files =
          new StagedFiles(fresh.rows(), fresh.keys(), List.of(), new KeyMerge(old, List.of(both)));
    }

    private Lake lake(Means means) throws Exception {
      return switch (means) {
        case SQL -> Lake.open(Lake.sqlite(directory)).create();
        case ROLL_FORWARD -> Lake.open(Lake.hadoop(directory)).create();
        case REST -> {
          AtomicRestServer server = new AtomicRestServer(directory, true);
          open.add(server::close);
          behind = server.behind;
          yield Lake.open(server.settings(Map.of()));
        }
      };
    }

    /** The keys table as someone else has it. */
    Table keysOfOthers() {
      return behind == null ? lake.keys() : behind.keys();
    }

    CommitOutcome commit() {
      return commit(files);
    }

    CommitOutcome commit(StagedFiles files) {
      Lake.Batch batch = Lake.batch(base.ledger(), 1);
      return lake.commit(base, batch.id(), batch.after(), files).outcome();
    }

    @Override
    public void close() throws IOException {
      lake.close();
      for (Closeable part : open) {
        part.close();
      }
    }
  }

  private static long upper(DataFile file) {
    return Objects.requireNonNull(file.upperBounds().get(1))
        .order(ByteOrder.LITTLE_ENDIAN)
        .getLong(0);
  }

  private static List<String> locations(Table table) {
    return Lake.live(table).stream().map(DataFile::location).toList();
  }

  @ParameterizedTest
  @EnumSource
  void replacesMergedFilesInTheSameCommit(Means means) throws Exception {
    try (Shop shop = new Shop(means)) {
      Snapshot before = shop.lake.keys().currentSnapshot();
      assertThat(shop.commit()).isInstanceOf(Committed.class);

      Table keys = shop.lake.keys();
      assertThat(Lake.ids(keys)).containsExactly(1L, 2L, 3L, 4L);
      assertThat(Lake.live(keys)).hasSize(3);
      assertThat(locations(keys)).contains(shop.merged);
      Snapshot replaced = keys.snapshot(keys.currentSnapshot().parentId());
      assertThat(List.of(replaced.operation(), keys.currentSnapshot().operation()))
          .containsExactly("replace", "append");
      assertThat(replaced.parentId()).isEqualTo(before.snapshotId());
      // every snapshot can still be read
      assertThat(Lake.idsAt(keys, replaced)).containsExactly(1L, 2L, 3L);
      assertThat(Lake.idsAt(keys, before)).containsExactly(1L, 2L, 3L);
      assertThat(shop.lake.standing().ledger().lastBatch())
          .isEqualTo(Lake.batch(shop.base.ledger(), 1).id());
      assertThat(shop.lake.next(5)).isInstanceOf(Committed.class);
      assertThat(Lake.ids(shop.lake.keys())).containsExactly(1L, 2L, 3L, 4L, 5L);
    }
  }

  @ParameterizedTest
  @EnumSource
  void onlyAppendsWhenSomeoneRewroteAFileThatWasMerged(Means means) throws Exception {
    try (Shop shop = new Shop(means)) {
      rewrite(shop.keysOfOthers(), shop.old.get(0));
      assertThat(shop.commit()).isInstanceOf(Committed.class);

      assertThat(Lake.ids(shop.lake.keys())).containsExactly(1L, 2L, 3L, 4L);
      assertThat(Lake.live(shop.lake.keys())).hasSize(4);
      assertThat(Lake.filesUnder(directory, ".parquet")).noneMatch(shop.merged::endsWith);
    }
  }

  @ParameterizedTest
  @EnumSource
  void replacesThemAfterMaintenanceOfOthers(Means means) throws Exception {
    try (Shop shop = new Shop(means)) {
      Table keys = shop.keysOfOthers();
      rewrite(keys, Lake.live(keys).stream().filter(f -> upper(f) == 3).findFirst().orElseThrow());
      keys.rewriteManifests().clusterBy(file -> "one").commit();
      assertThat(shop.commit()).isInstanceOf(Committed.class);

      assertThat(Lake.ids(shop.lake.keys())).containsExactly(1L, 2L, 3L, 4L);
      assertThat(locations(shop.lake.keys())).hasSize(3).contains(shop.merged);
    }
  }

  private static List<DataFile> third(Shop shop) {
    return Lake.live(shop.lake.keys()).stream().filter(f -> upper(f) == 3).toList();
  }

  @ParameterizedTest
  @EnumSource
  void dropsFilesInTheSameCommit(Means means) throws Exception {
    try (Shop shop = new Shop(means)) {
      Snapshot before = shop.lake.keys().currentSnapshot();
      assertThat(shop.commit(shop.files.dropping(new KeyDrop(20_526, third(shop)))))
          .isInstanceOf(Committed.class);

      Table keys = shop.lake.keys();
      assertThat(Lake.ids(keys)).containsExactly(1L, 2L, 4L);
      assertThat(keys.properties()).containsEntry("onceberg.keys-dropped-before", "2026-03-14");
      Snapshot dropped = keys.snapshot(keys.currentSnapshot().parentId());
      assertThat(dropped.operation()).isEqualTo("delete");
      assertThat(keys.snapshot(dropped.parentId()).operation()).isEqualTo("replace");
      assertThat(Lake.idsAt(keys, before)).containsExactly(1L, 2L, 3L);
      assertThat(shop.lake.next(5)).isInstanceOf(Committed.class);
      assertThat(Lake.ids(shop.lake.keys())).containsExactly(1L, 2L, 4L, 5L);
    }
  }

  @ParameterizedTest
  @EnumSource
  void dropsOnlyWhatIsStillThere(Means means) throws Exception {
    try (Shop shop = new Shop(means)) {
      StagedFiles files = shop.files.dropping(new KeyDrop(20_526, third(shop)));
      rewrite(shop.keysOfOthers(), third(shop).get(0));
      assertThat(shop.commit(files)).isInstanceOf(Committed.class);
      assertThat(Lake.ids(shop.lake.keys())).containsExactly(1L, 2L, 3L, 4L);
    }
  }

  /** Iceberg asks for the whole history of a table whose files are replaced, unless told better. */
  @ParameterizedTest
  @EnumSource
  void replacesThemWhenOlderSnapshotsHaveExpired(Means means) throws Exception {
    try (Shop shop = new Shop(means)) {
      Table keys = shop.keysOfOthers();
      keys.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
      assertThat(shop.commit()).isInstanceOf(Committed.class);

      assertThat(Lake.ids(shop.lake.keys())).containsExactly(1L, 2L, 3L, 4L);
      assertThat(locations(shop.lake.keys())).hasSize(3).contains(shop.merged);
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsLeftOfACommitThatWasFenced(Means means) throws Exception {
    try (Shop shop = new Shop(means)) {
      Table keys = shop.keysOfOthers();
      keys.newFastAppend().appendFile(Lake.file(keys, 9)).commit();
      assertThat(shop.commit()).isInstanceOf(CommitOutcome.Fenced.class);
      assertThat(Lake.ids(shop.lake.keys())).containsExactly(1L, 2L, 3L, 9L);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "ROLL_FORWARD")
  void aHalfCommitIsCompletedWithItsMerge(Means means) throws Exception {
    try (Shop shop = new Shop(means)) {
      LedgerEntry half = halfCommit(shop);
      TargetTables before = shop.base.tables();
      RollForward.complete(before, half);
      assertThat(Lake.ids(shop.lake.keys())).containsExactly(1L, 2L, 3L, 4L);
      assertThat(locations(shop.lake.keys())).hasSize(3).contains(shop.merged);
      assertThat(shop.lake.standing().ledger()).isEqualTo(half.ledger());
    }
  }

  @ParameterizedTest
  @EnumSource(names = "ROLL_FORWARD")
  void aHalfCommitIsCompletedWithoutAMergeWhoseFilesAreGone(Means means) throws Exception {
    try (Shop shop = new Shop(means)) {
      LedgerEntry half = halfCommit(shop);
      rewrite(shop.keysOfOthers(), shop.old.get(1));
      assertThat(shop.lake.standing().ledger()).isEqualTo(half.ledger());
      assertThat(Lake.ids(shop.lake.keys())).containsExactly(1L, 2L, 3L, 4L);
      assertThat(Lake.live(shop.lake.keys())).hasSize(4);
      assertThat(Lake.filesUnder(directory, ".parquet")).noneMatch(shop.merged::endsWith);
    }
  }

  private static LedgerEntry halfCommit(Shop shop) {
    Lake.Batch batch = Lake.batch(shop.base.ledger(), 1);
    String pending = PendingFiles.write(shop.base.tables(), batch.id(), shop.files);
    LedgerEntry entry = new LedgerEntry(batch.after(), pending);
    StagedTable rows =
        StagedTable.of(
            Lake.ORDERS.rows(),
            shop.base.tables().rows(),
            FileChange.append(shop.files.rows()),
            LedgerCodec.summary(entry),
            Map.of("onceberg.ledger", LedgerCodec.property(entry)),
            SnapshotRetention.ALL);
    rows.operations().catalog().commit(rows.operations().catalog().current(), rows.next());
    return entry;
  }

  private static void rewrite(Table keys, DataFile file) {
    RewriteFiles rewrite = keys.newRewrite();
    rewrite.deleteFile(file);
    rewrite.addFile(Lake.file(keys, upper(file)));
    rewrite.commit();
    keys.refresh();
  }
}
