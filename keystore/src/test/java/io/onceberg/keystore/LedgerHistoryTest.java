package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.keystore.CommitOutcome.Committed;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The precedence of docs/ledger.md on real tables. */
class LedgerHistoryTest {
  @TempDir Path directory;
  private Lake lake;

  @BeforeEach
  void open() {
    lake = Lake.open(Lake.sqlite(directory)).create();
  }

  @AfterEach
  void close() throws Exception {
    lake.close();
  }

  @Test
  void isEmptyBeforeTheFirstBatch() {
    append(lake.rows(), 9);
    assertThat(lake.standing().ledger()).isEqualTo(Ledger.empty(0));
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "other writers' snapshots lie on top of the ledger",
      outcome = "found beneath them")
  @Test
  void liesUnderOtherWritersSnapshots() {
    lake.next(1);
    lake.next(2);
    Ledger ledger = lake.standing().ledger();
    append(lake.rows(), 50);
    append(lake.rows(), 51);
    rewrite(lake.keys());

    assertThat(lake.standing().ledger()).isEqualTo(ledger);
    assertThat(ledger.progress(Lake.P0)).contains(new SourceProgress("topic-id", 2));
    assertThat(lake.next(3)).isInstanceOf(Committed.class);
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "all snapshots of ours are expired",
      outcome = "the ledger is taken from the table property",
      cases = Case.A12)
  @Test
  void isTakenFromThePropertyWhenAllItsSnapshotsAreExpired() {
    lake.next(1);
    lake.next(2);
    Ledger ledger = lake.standing().ledger();
    for (Table table : new Table[] {lake.rows(), lake.keys()}) {
      rewrite(table);
      table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
    }
    assertThat(lake.rows().snapshots())
        .singleElement()
        .satisfies(s -> assertThat(s.summary()).doesNotContainKey("onceberg.batch-id"));

    assertThat(lake.standing().ledger()).isEqualTo(ledger);
    // a batch that comes again is known by the property too
    BatchId last = Objects.requireNonNull(ledger.lastBatch());
    assertThat(LedgerHistory.holds(lake.standing().rows(), last)).isTrue();
    assertThat(lake.next(3)).isInstanceOf(Committed.class);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L, 3L);
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "rows and keys are rolled back to one batch",
      outcome = "the ledger goes back with them",
      cases = Case.A6)
  @Test
  void goesBackWithTablesThatWereRolledBackByHand() {
    lake.next(1);
    Ledger first = lake.standing().ledger();
    long rows = lake.rows().currentSnapshot().snapshotId();
    long keys = lake.keys().currentSnapshot().snapshotId();
    lake.next(2);
    lake.next(3);
    lake.rows().manageSnapshots().rollbackTo(rows).commit();
    lake.keys().manageSnapshots().rollbackTo(keys).commit();

    assertThat(lake.rows().properties().get("onceberg.ledger")).contains("\"3-");
    assertThat(lake.standing().ledger()).isEqualTo(first);
    assertThat(lake.next(2)).isInstanceOf(Committed.class);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L);
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "rows and keys are rolled back to before the first batch",
      outcome = "the ledger is empty again, whatever the property says",
      cases = Case.A6)
  @Test
  void isEmptyAgainWhenRolledBackToBeforeTheFirstBatch() {
    append(lake.rows(), 8);
    append(lake.keys(), 8);
    long rows = lake.rows().currentSnapshot().snapshotId();
    long keys = lake.keys().currentSnapshot().snapshotId();
    lake.next(1);
    lake.rows().manageSnapshots().rollbackTo(rows).commit();
    lake.keys().manageSnapshots().rollbackTo(keys).commit();

    assertThat(lake.standing().ledger()).isEqualTo(Ledger.empty(0));
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "one table of a target is rolled back alone",
      outcome = "OB-506, the target stops")
  @Test
  void stopsTheTargetWhenOneTableWasRolledBackAlone() {
    lake.next(1);
    long first = lake.rows().currentSnapshot().snapshotId();
    lake.next(2);
    lake.rows().manageSnapshots().rollbackTo(first).commit();

    assertThatThrownBy(lake::standing)
        .isInstanceOfSatisfying(
            OncebergException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LEDGER_BROKEN))
        .hasMessageContaining("db.orders stands at batch 1-")
        .hasMessageContaining("db.orders_keys at batch 2-");
  }

  @Fault(
      area = Area.SOURCE,
      what = "source.epoch is set below that of the ledger",
      outcome = "OB-102, refused")
  @Test
  void refusesAnEpochBelowTheLedgers() throws Exception {
    try (Lake later = Lake.open(Lake.sqlite(directory), 3)) {
      Standing base = later.standing();
      Lake.Batch batch = Lake.batch(base.ledger(), 1);
      Ledger after = new Ledger(batch.id(), 3, batch.after().progress());
      later.commit(base, batch.id(), after, later.files(1));
      assertThat(later.standing().ledger().sourceEpoch()).isEqualTo(3);
    }
    assertThatThrownBy(lake::standing).hasMessageContaining("source.epoch is 0");
  }

  private static void append(Table table, long id) {
    table.newFastAppend().appendFile(Lake.file(table, id)).commit();
  }

  /** What a compaction leaves: a snapshot of operation replace. */
  private static void rewrite(Table table) {
    table.rewriteManifests().clusterBy(file -> "one").commit();
  }
}
