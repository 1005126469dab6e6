package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.keystore.CommitOutcome.Committed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A writing process really dies at each step of the commit of its second batch. */
class CrashTest {
  private static final int KILLED = 137;
  @TempDir Path directory;

  @Fault(
      area = Area.KILL,
      what = "a process is killed in its commit, and the batch comes again",
      outcome = "all of the batch or nothing; roll-forward completes what was begun",
      cases = {Case.A1, Case.A7})
  @ParameterizedTest(name = "{0} at {1}")
  @CsvSource({
    "jdbc,   FILES_STAGED,         false",
    "jdbc,   METADATA_WRITTEN,     false",
    "jdbc,   POINTERS_MOVED,       true",
    "hadoop, FILES_STAGED,         false",
    "hadoop, METADATA_WRITTEN,     false",
    "hadoop, ROWS_COMMITTED,       true",
    "hadoop, QUARANTINE_COMMITTED, true",
    "hadoop, POINTERS_MOVED,       true",
  })
  void leavesAllOrNothing(String catalog, CrashPoint point, boolean committed) throws Exception {
    assertThat(dieAt(catalog, point)).isEqualTo(KILLED);

    CatalogSettings settings =
        catalog.equals("jdbc") ? Lake.sqlite(directory) : Lake.hadoop(directory);
    try (Lake lake = Lake.open(settings)) {
      Standing after = lake.standing();
      Lake.Batch first = Lake.batch(Ledger.empty(0), 1);
      Lake.Batch second = Lake.batch(first.after(), 1);
      assertThat(after.ledger()).isEqualTo(committed ? second.after() : first.after());
      assertThat(Lake.ids(lake.rows())).isEqualTo(committed ? List.of(1L, 2L) : List.of(1L));
      assertInStep(lake);

      // the batch comes again, as it does after a restart
      assertThat(
              lake.commit(after, second.id(), second.after(), lake.filesWithQuarantine(2))
                  .outcome())
          .isEqualTo(new Committed(second.after()));
      assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L);
      assertInStep(lake);
      assertThat(lake.next(3)).isInstanceOf(Committed.class);
    }
  }

  private static void assertInStep(Lake lake) {
    assertThat(Lake.ids(lake.keys())).isEqualTo(Lake.ids(lake.rows()));
    assertThat(Lake.ids(lake.quarantine())).isEqualTo(Lake.ids(lake.rows()));
  }

  private int dieAt(String catalog, CrashPoint point) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-D" + CrashPoint.PROPERTY + "=" + point + ":2");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(CrashingWriter.class.getName(), catalog, directory.toString()));
    Path log = directory.resolve("child.log");
    Process child =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    return child.waitFor();
  }
}
