package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.keystore.CommitOutcome.Committed;
import io.onceberg.keystore.CommitOutcome.Fenced;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A catalog that moves one table at a time. What a crash leaves is in {@link CrashTest}. */
class RollForwardTest {
  @TempDir Path directory;
  private Lake lake;

  @BeforeEach
  void open() {
    lake = Lake.open(Lake.hadoop(directory)).create();
  }

  @AfterEach
  void close() throws Exception {
    lake.close();
  }

  @Test
  void movesTheTablesOneAfterTheOther() {
    for (int i = 0; i < 3; i++) {
      Standing base = lake.standing();
      Lake.Batch batch = Lake.batch(base.ledger(), 1);
      assertThat(
              lake.commit(base, batch.id(), batch.after(), lake.filesWithQuarantine(i)).outcome())
          .isEqualTo(new Committed(batch.after()));
      assertThat(lake.standing().ledger()).isEqualTo(batch.after());
    }
    for (Table table : new Table[] {lake.rows(), lake.keys(), lake.quarantine()}) {
      assertThat(Lake.ids(table)).containsExactly(0L, 1L, 2L);
    }
    assertThat(lake.rows().currentSnapshot().summary()).containsKey("onceberg.pending");
    assertThat(Lake.filesUnder(directory, ".txt")).isEmpty();
  }

  @Fault(
      area = Area.COMMIT,
      what = "roll-forward: someone else adds keys before our commit",
      outcome = "fenced, and nothing is visible")
  @Test
  void fencesWithNothingVisibleWhenKeysWereAdded() {
    lake.next(1);
    Standing base = lake.standing();
    Table keys = lake.keys();
    keys.newFastAppend().appendFile(Lake.file(keys, 2)).commit();

    assertThat(lake.next(base, 2).outcome()).isInstanceOf(Fenced.class);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L);
    assertThat(Lake.filesUnder(directory, ".txt")).isEmpty();
  }

  @Fault(
      area = Area.COMMIT,
      what = "roll-forward: a commit ended half way",
      outcome = "completed before anything is read, once",
      cases = Case.A7)
  @Test
  void completesAHalfCommitOnceHoweverOftenItIsAsked() {
    lake.next(1);
    TargetTables before = lake.standing().tables();
    LedgerEntry half = halfCommit(2);

    RollForward.complete(before, half);
    RollForward.complete(before, half);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L);
    assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L);
    assertThat(Lake.ids(lake.quarantine())).containsExactly(2L);
    assertThat(lake.standing().ledger()).isEqualTo(half.ledger());
  }

  @Fault(
      area = Area.COMMIT,
      what = "roll-forward: two processes complete the same half commit",
      outcome = "completed once")
  @Test
  void appendsNothingTwiceWhenTwoCompleteTheSame() throws Exception {
    lake.next(1);
    TargetTables before = lake.standing().tables();
    LedgerEntry half = halfCommit(2);
    Path list = Path.of(String.valueOf(half.pending()));
    byte[] read = Files.readAllBytes(list);

    RollForward.complete(before, half);
    // the slower one had read the list before the faster one was done
    Files.write(list, read);
    RollForward.complete(before, half);
    assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L);
    assertThat(Lake.ids(lake.quarantine())).containsExactly(2L);
  }

  @Fault(
      area = Area.COMMIT,
      what = "roll-forward: others change the tables before a half commit is completed",
      outcome = "completed on top of that")
  @Test
  void completesOnTopOfWhatOthersDidMeanwhile() {
    lake.next(1);
    LedgerEntry half = halfCommit(2);
    Table keys = lake.keys();
    keys.rewriteManifests().clusterBy(file -> "one").commit();
    Table rows = lake.rows();
    rows.newFastAppend().appendFile(Lake.file(rows, 70)).commit();

    assertThat(lake.standing().ledger()).isEqualTo(half.ledger());
    assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L);
    assertThat(lake.next(3)).isInstanceOf(Committed.class);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L, 3L, 70L);
  }

  @Fault(
      area = Area.COMMIT,
      what = "roll-forward: the list of the files that lack is damaged",
      outcome = "OB-506, the target stops")
  @Test
  void stopsWhenTheListOfFilesIsNotWhole() throws Exception {
    lake.next(1);
    Path list = Path.of(String.valueOf(halfCommit(2).pending()));
    String text = Files.readString(list);
    Files.delete(list.resolveSibling("." + list.getFileName() + ".crc"));
    Files.writeString(list, text.substring(0, text.lastIndexOf("end ")));

    assertThatThrownBy(lake::standing)
        .isInstanceOfSatisfying(
            OncebergException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LEDGER_BROKEN));
  }

  /** Commits a batch to the rows table alone, as a process does that dies just after. */
  private LedgerEntry halfCommit(long id) {
    Standing base = lake.standing();
    Lake.Batch batch = Lake.batch(base.ledger(), 1);
    StagedFiles files = lake.filesWithQuarantine(id);
    String pending = PendingFiles.write(base.tables(), batch.id(), files);
    LedgerEntry entry = new LedgerEntry(batch.after(), pending);
    StagedTable rows =
        StagedTable.of(
            Lake.ORDERS.rows(),
            base.tables().rows(),
            FileChange.append(files.rows()),
            LedgerCodec.summary(entry),
            Map.of("onceberg.ledger", LedgerCodec.property(entry)),
            SnapshotRetention.ALL);
    rows.operations().catalog().commit(rows.operations().catalog().current(), rows.next());
    return entry;
  }
}
