package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.keystore.CommitOutcome.Committed;
import io.onceberg.keystore.CommitOutcome.Fenced;
import java.nio.file.Path;
import java.util.Map;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestCommitTest {
  private static final String TRANSACTION = "POST /v1/transactions/commit";

  @TempDir Path directory;
  private AtomicRestServer server;
  private Lake lake;

  @BeforeEach
  void open() throws Exception {
    server = new AtomicRestServer(directory, true);
    lake = Lake.open(server.settings(Map.of()));
  }

  @AfterEach
  void close() throws Exception {
    lake.close();
    server.close();
  }

  @Test
  void movesAllTablesByOneRequest() {
    assertThat(lake.opened.means()).isInstanceOf(RestMeans.class);
    for (long id = 1; id <= 3; id++) {
      Standing base = lake.standing();
      Lake.Batch batch = Lake.batch(base.ledger(), 1);
      assertThat(
              lake.commit(base, batch.id(), batch.after(), lake.filesWithQuarantine(id)).outcome())
          .isEqualTo(new Committed(batch.after()));
      assertThat(lake.standing().ledger()).isEqualTo(batch.after());
    }
    assertInStep(1L, 2L, 3L);
    assertThat(server.requests).filteredOn(TRANSACTION::equals).hasSize(3);
    assertThat(server.requests).noneMatch(r -> r.startsWith("POST") && !r.equals(TRANSACTION));
  }

  @Fault(
      area = Area.COMMIT,
      what = "REST catalog: someone else adds keys before our commit",
      outcome = "fenced (OB-504): no table moves, the batch is joined again")
  @Test
  void fencesWithNothingMovedWhenKeysWereAdded() {
    lake.next(1);
    Standing base = lake.standing();
    Table keys = server.behind.keys();
    keys.newFastAppend().appendFile(Lake.file(keys, 2)).commit();

    assertThat(lake.next(base, 2).outcome()).isInstanceOf(Fenced.class);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L);
    assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L);
  }

  @Fault(
      area = Area.COMMIT,
      what = "REST catalog: manifests rewritten and snapshots expired before our commit",
      outcome = "committed on the new base",
      cases = Case.A9)
  @Test
  void goesOnThroughMaintenance() {
    lake.next(1);
    lake.next(2);
    Standing base = lake.standing();
    Table keys = server.behind.keys();
    keys.updateProperties().set("owner", "someone").commit();
    keys.rewriteManifests().clusterBy(file -> "one").commit();
    keys.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();

    assertThat(lake.next(base, 3).outcome()).isInstanceOf(Committed.class);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L, 3L);
    assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L, 3L);
  }

  @Fault(
      area = Area.COMMIT,
      what = "REST catalog: the commit took effect, its answer is lost",
      outcome = "found in the history by its batch id; not committed again",
      cases = Case.A2)
  @Test
  void findsItsBatchWhenOnlyTheAnswerWasLost() {
    lake.next(1);
    server.lostAnswers.set(1);
    assertThat(lake.next(2)).isInstanceOf(Committed.class);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L);
    assertThat(lake.rows().snapshots()).hasSize(2);
    assertThat(lake.keys().snapshots()).hasSize(2);
  }

  @Fault(
      area = Area.COMMIT,
      what = "REST catalog: the commit is lost before it took effect",
      outcome = "the same files are committed, once",
      cases = Case.A3)
  @Test
  void triesTheSameFilesAgainWhenTheBatchIsAbsent() {
    server.lostRequests.set(1);
    assertThat(lake.next(1)).isInstanceOf(Committed.class);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L);
    assertThat(server.requests).filteredOn(TRANSACTION::equals).hasSize(2);
  }

  @Fault(
      area = Area.COMMIT,
      what = "a REST catalog that does not advertise transactions/commit",
      outcome = "taken for not atomic: roll-forward")
  @Test
  void believesNothingThatIsNotAdvertised() throws Exception {
    try (AtomicRestServer silent = new AtomicRestServer(directory.resolve("silent"), false);
        Lake quiet = Lake.open(silent.settings(Map.of()))) {
      assertThat(quiet.opened.means().atomic()).isFalse();
      assertThat(quiet.next(1)).isInstanceOf(Committed.class);
      assertThat(quiet.next(2)).isInstanceOf(Committed.class);
      assertThat(silent.requests).noneMatch(TRANSACTION::equals);
      assertThat(Lake.ids(quiet.rows())).containsExactly(1L, 2L);
      assertThat(Lake.ids(quiet.keys())).containsExactly(1L, 2L);
    }
  }

  @Fault(
      area = Area.COMMIT,
      what = "a REST catalog that advertises it and is declared not atomic",
      outcome = "roll-forward")
  @Test
  void canBeToldThatTheServerIsNotAtomic() throws Exception {
    try (Lake told = Lake.open(server.settings(Map.of(OpenedCatalog.MULTI_TABLE_COMMIT, "none")))) {
      assertThat(told.opened.means().atomic()).isFalse();
      assertThat(told.next(1)).isInstanceOf(Committed.class);
      assertThat(server.requests).noneMatch(TRANSACTION::equals);
    }
    assertThat(lake.standing().ledger().progress(Lake.P0)).isPresent();
  }

  private void assertInStep(Long... ids) {
    for (Table table : new Table[] {lake.rows(), lake.keys(), lake.quarantine()}) {
      assertThat(Lake.ids(table)).containsExactly(ids);
    }
  }
}
