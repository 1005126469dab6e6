package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.keystore.CommitOutcome.Committed;
import io.onceberg.keystore.CommitOutcome.InDoubt;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits whose answer does not come. */
class InDoubtTest {
  @TempDir Path directory;
  private Lake lake;

  @BeforeEach
  void open() {
    FaultyDriver.reset();
    Map<String, String> properties = new HashMap<>(Lake.sqlite(directory).properties());
    properties.compute("uri", (key, uri) -> String.valueOf(uri).replace("jdbc:", "jdbc:faulty:"));
    properties.put("jdbc.busy_timeout", "20000");
    directory.resolve("made/here").toFile().mkdirs();
    lake = Lake.open(Lake.settings(properties)).create();
    lake.next(1);
  }

  @AfterEach
  void close() throws Exception {
    FaultyDriver.reset();
    lake.close();
  }

  @Fault(
      area = Area.COMMIT,
      what = "JDBC catalog: the commit took effect, its answer is lost",
      outcome = "found in the history by its batch id; not committed again",
      cases = Case.A2)
  @Test
  void findsItsBatchWhenOnlyTheAnswerWasLost() {
    FaultyDriver.LOST_ANSWERS.set(1);
    assertThat(lake.next(2)).isInstanceOf(Committed.class);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L);
    assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L);
    assertThat(lake.rows().snapshots()).hasSize(2);
  }

  /** Tidying up after a merge reads what was just written. */
  @Fault(
      area = Area.STORAGE,
      what = "the storage is gone right after a commit that merges key files",
      outcome = "the commit stands, a warning; what it made needless is left behind")
  @Test
  void aCommitStandsWhenTheStorageIsGoneRightAfterIt() {
    lake.next(2);
    Standing base = lake.standing();
    StagedFiles fresh = lake.files(3);
    StagedFiles files =
        new StagedFiles(
            fresh.rows(),
            fresh.keys(),
            List.of(),
            new KeyMerge(Lake.live(lake.keys()), List.of(Lake.file(lake.keys(), 1, 2))));
    File warehouse = directory.resolve("warehouse").toFile();
    File gone = directory.resolve("gone").toFile();
    FaultyDriver.afterCommit = () -> assertThat(warehouse.renameTo(gone)).isTrue();
    Lake.Batch batch = Lake.batch(base.ledger(), 1);

    TargetCommit.Ending ending = lake.commit(base, batch.id(), batch.after(), files);

    FaultyDriver.reset();
    assertThat(ending.outcome()).isEqualTo(new Committed(batch.after()));
    assertThat(gone.renameTo(warehouse)).isTrue();
    assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L, 3L);
    assertThat(lake.next(4)).isInstanceOf(Committed.class);
  }

  @Fault(
      area = Area.COMMIT,
      what = "JDBC catalog: the commit is lost before it took effect",
      outcome = "the same files are committed, once",
      cases = Case.A3)
  @Test
  void triesTheSameFilesAgainWhenTheBatchIsSurelyAbsent() {
    FaultyDriver.LOST_REQUESTS.set(2);
    List<String> before = Lake.filesUnder(directory, "metadata.json");
    assertThat(lake.next(2)).isInstanceOf(Committed.class);
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L);
    assertThat(lake.rows().snapshots()).hasSize(2);
    // the same metadata files were moved to, not new ones
    assertThat(Lake.filesUnder(directory, "metadata.json")).hasSize(before.size() + 2);
  }

  @Fault(
      area = Area.COMMIT,
      what = "JDBC catalog: the answer is lost and the catalog stays away",
      outcome = "OB-505: nothing is deleted, nothing is taken for granted",
      cases = Case.A2)
  @Test
  void deletesNothingWhileNobodyKnows() {
    Standing base = lake.standing();
    StagedFiles files = lake.files(2);
    Lake.Batch batch = Lake.batch(base.ledger(), 1);
    FaultyDriver.LOST_ANSWERS.set(1);
    FaultyDriver.REFUSED_AFTERWARDS.set(1000);

    CommitOutcome outcome = lake.commit(base, batch.id(), batch.after(), files).outcome();

    assertThat(outcome)
        .isInstanceOfSatisfying(
            InDoubt.class,
            doubt ->
                assertThat(((OncebergException) doubt.cause()).code())
                    .isEqualTo(ErrorCode.COMMIT_IN_DOUBT));
    FaultyDriver.reset();
    assertThat(lake.standing().ledger()).isEqualTo(batch.after());
    assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L);
    assertThat(files.rows())
        .allSatisfy(f -> assertThat(Files.exists(Path.of(f.location()))).isTrue());
  }
}
