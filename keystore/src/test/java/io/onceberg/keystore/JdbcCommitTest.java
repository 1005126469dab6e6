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
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JdbcCommitTest {
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
  void movesAllTablesAndTheLedgerTogether() {
    Standing base = lake.standing();
    assertThat(base.ledger().lastBatch()).isNull();
    Lake.Batch batch = Lake.batch(base.ledger(), 3);

    TargetCommit.Ending ending =
        lake.commit(base, batch.id(), batch.after(), lake.filesWithQuarantine(1, 2, 3));

    assertThat(ending.outcome()).isEqualTo(new Committed(batch.after()));
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L, 3L);
    assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L, 3L);
    assertThat(Lake.ids(lake.quarantine())).containsExactly(1L, 2L, 3L);
    assertThat(lake.standing().ledger()).isEqualTo(batch.after());
    assertThat(lake.rows().properties()).containsKey("onceberg.ledger");
    assertThat(lake.keys().properties()).containsKey("onceberg.ledger");
  }

  @Test
  void goesOnFromWhatItWroteWithoutLoadingIt() {
    Standing now = lake.standing();
    for (long id = 1; id <= 5; id++) {
      now = lake.after(now, id);
    }
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(Standing.metadata(now.tables().rows()).metadataFileLocation())
        .isEqualTo(lake.standing().rows().metadataFileLocation());
    assertThat(lake.standing().ledger()).isEqualTo(now.ledger());
  }

  @Fault(
      area = Area.COMMIT,
      what = "another daemon commits while the tables of a target are being loaded",
      outcome = "they are loaded again until they agree")
  @Test
  void readsTablesThatMoveBetweenTwoLoads() {
    lake.next(1);
    Table rows = lake.rows();
    lake.next(2);

    Standing found =
        Standing.of(
            new TargetTables(Lake.ORDERS, rows, lake.keys(), lake.quarantine()), lake.target);

    assertThat(found.ledger()).isEqualTo(lake.standing().ledger());
    assertThat(Lake.ids(found.tables().rows())).containsExactly(1L, 2L);
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "the rows are rolled back and the keys are not",
      outcome = "OB-506, the target stops")
  @Test
  void refusesTablesThatStandAtTwoBatches() {
    lake.next(1);
    lake.next(2);
    Table rows = lake.rows();
    rows.manageSnapshots().rollbackTo(rows.currentSnapshot().parentId()).commit();

    assertThatThrownBy(lake::standing)
        .isInstanceOfSatisfying(
            OncebergException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LEDGER_BROKEN));
  }

  @Test
  void leavesTheQuarantineAloneWhenItHasNothingForIt() {
    lake.next(1);
    assertThat(lake.quarantine().currentSnapshot()).isNull();
  }

  @Test
  void movesTheLedgerOfABatchThatWroteNoRow() {
    assertThat(lake.next()).isInstanceOf(Committed.class);
    assertThat(lake.rows().currentSnapshot().summary()).containsKey("onceberg.batch-id");
    assertThat(lake.keys().currentSnapshot().summary()).containsKey("onceberg.batch-id");
    assertThat(lake.standing().ledger().progress(Lake.P0))
        .contains(new SourceProgress("topic-id", 1));
  }

  @Fault(
      area = Area.COMMIT,
      what = "JDBC catalog: someone else adds keys before our commit",
      outcome = "fenced (OB-504): no table moves, the batch is joined again")
  @Test
  void fencesWhenSomeoneElseAddedKeys() {
    lake.next(1);
    Standing base = lake.standing();
    StagedFiles files = lake.files(2);
    Table keys = lake.keys();
    keys.newFastAppend().appendFile(Lake.file(keys, 2)).commit();
    Lake.Batch batch = Lake.batch(base.ledger(), 1);

    TargetCommit.Ending ending = lake.commit(base, batch.id(), batch.after(), files);

    assertThat(ending.outcome()).isInstanceOf(Fenced.class);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L);
    assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L);
    assertThat(lake.rows().properties().get("onceberg.ledger")).contains("\"1-");
    // manifests and metadata of the lost commit are gone, its data files are not
    assertThat(Lake.filesUnder(directory, "metadata.json")).hasSize(3 + 2 + 1);
    assertThat(Lake.filesUnder(directory, ".parquet")).hasSize(2 + 2 + 1);
  }

  @Fault(
      area = Area.COMMIT,
      what = "JDBC catalog: the tables are maintained before our commit",
      outcome = "the same files are committed on the new base",
      cases = Case.A9)
  @Test
  void appendsTheSameFilesAfterMaintenance() {
    lake.next(1);
    lake.next(2);
    Standing base = lake.standing();
    StagedFiles files = lake.files(3);
    Table keys = lake.keys();
    keys.rewriteManifests().clusterBy(file -> "one").commit();
    keys.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
    Table rows = lake.rows();
    rows.newFastAppend().appendFile(Lake.file(rows, 77)).commit();
    rows.updateProperties().set("owner", "someone").commit();
    Lake.Batch batch = Lake.batch(base.ledger(), 1);

    TargetCommit.Ending ending = lake.commit(base, batch.id(), batch.after(), files);

    assertThat(ending.outcome()).isEqualTo(new Committed(batch.after()));
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L, 3L, 77L);
    assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L, 3L);
    assertThat(lake.rows().properties()).containsEntry("owner", "someone");
  }

  @Fault(
      area = Area.COMMIT,
      what = "a batch that was committed comes again",
      outcome = "known by its id in the ledger; nothing is written",
      cases = Case.A7)
  @Test
  void knowsABatchThatComesAgain() {
    lake.next(1);
    Standing base = lake.standing();
    Lake.Batch batch = Lake.batch(base.ledger(), 1);
    lake.commit(base, batch.id(), batch.after(), lake.files(2));
    long snapshot = lake.rows().currentSnapshot().snapshotId();

    // once from where it now stands, once from where it was built
    for (Standing from : new Standing[] {lake.standing(), base}) {
      TargetCommit.Ending again = lake.commit(from, batch.id(), batch.after(), lake.files(2));
      assertThat(again.outcome()).isEqualTo(new Committed(batch.after()));
    }
    assertThat(lake.rows().currentSnapshot().snapshotId()).isEqualTo(snapshot);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L);
    assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L);
  }

  @Fault(
      area = Area.COMMIT,
      what = "two daemons commit to one target",
      outcome = "the slower is fenced")
  @Test
  void fencesTheSlowerOfTwoDaemons() throws Exception {
    lake.next(1);
    try (Lake other = Lake.open(Lake.sqlite(directory))) {
      Standing mine = lake.standing();
      Standing theirs = other.standing();
      assertThat(other.next(theirs, 2, 3).outcome()).isInstanceOf(Committed.class);
      assertThat(lake.next(mine, 2).outcome()).isInstanceOf(Fenced.class);
    }
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L, 3L);
  }

  @Test
  void deletesOldMetadataFilesWhereTheTableAsksForIt() throws Exception {
    Path bounded = directory.resolve("bounded");
    try (Lake small =
        Lake.open(Lake.sqlite(bounded))
            .create(
                Map.of(
                    "write.metadata.delete-after-commit.enabled", "true",
                    "write.metadata.previous-versions-max", "3"))) {
      Standing now = small.standing();
      for (int i = 0; i < 8; i++) {
        now = small.after(now, i);
      }
      assertThat(Lake.filesUnder(bounded.resolve("warehouse/db/orders"), "metadata.json"))
          .hasSize(4);
      assertThat(Lake.ids(small.rows())).hasSize(8);
    }
  }

  @Test
  void worksOnTheOldCatalogSchema() throws Exception {
    Path old = directory.resolve("old");
    Map<String, String> properties = new HashMap<>(Lake.sqlite(old).properties());
    properties.put("jdbc.schema-version", "V0");
    try (Lake v0 = Lake.open(Lake.settings(properties)).create()) {
      assertThat(v0.next(1)).isInstanceOf(Committed.class);
      assertThat(Lake.ids(v0.keys())).containsExactly(1L);
    }
  }
}
