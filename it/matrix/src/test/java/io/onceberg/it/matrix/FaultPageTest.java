package io.onceberg.it.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultPageTest {
  private static final Cell KILLED = cell("the daemon is killed", "KillTest.daemon", "processes");

  private static Cell cell(String what, String test, String stack) {
    return new Cell(Area.KILL, what, "it goes on", List.of(Case.values()), test, stack, true);
  }

  private static Cell failed(Cell cell) {
    return new Cell(
        cell.area(), cell.what(), cell.outcome(), cell.cases(), cell.test(), cell.stack(), false);
  }

  private static FaultPage page(Cell... cells) {
    return new FaultPage(Arrays.asList(cells), "");
  }

  @Test
  void aPageOfTheSameRunIsGood() {
    assertThat(page(KILLED).faults()).isEmpty();
    assertThat(page(KILLED).differences(page(KILLED).text())).isEmpty();
    assertThat(page(KILLED).text())
        .contains("| the daemon is killed | it goes on | `KillTest.daemon` | processes | A1, A2");
  }

  @Test
  void aCellThatRanAndIsNotThereIsNamed() {
    Cell more = cell("the broker is killed", "KillTest.broker", "processes");
    assertThat(page(KILLED, more).differences(page(KILLED).text()))
        .anyMatch(l -> l.startsWith("not on the page: | the broker is killed"));
  }

  @Test
  void aCellThatDidNotRunIsNamed() {
    Cell more = cell("the broker is killed", "KillTest.broker", "processes");
    assertThat(page(KILLED).differences(page(KILLED, more).text()))
        .anyMatch(l -> l.startsWith("did not run: | the broker is killed"));
  }

  @Test
  void aCellThatFailedIsNamedAndNotOnThePage() {
    FaultPage page = page(failed(KILLED));
    assertThat(page.faults()).contains("failed: KillTest.daemon on processes");
    assertThat(page.text()).doesNotContain("KillTest");
    assertThat(page.differences(page(KILLED).text())).isNotEmpty();
  }

  @Test
  void aCaseWithoutATestIsNamed() {
    assertThat(page().faults()).hasSize(Case.values().length).allMatch(f -> f.startsWith("case "));
  }

  /** On a machine without Docker the suite runs on processes only. */
  @Test
  void containersStayOnThePageWhereNoneHaveRun() {
    Cell onContainers = cell("the daemon is killed", "KillTest.daemon", "containers");
    String both = page(KILLED, onContainers).text();
    assertThat(both).contains("| processes, containers |");
    assertThat(new FaultPage(List.of(KILLED), both).differences(both)).isEmpty();
    Cell other = cell("the broker is killed", "KillTest.broker", "containers");
    assertThat(new FaultPage(List.of(KILLED, other), both).differences(both)).isNotEmpty();
  }

  @Test
  void resultsAreReadAsTheyWereWritten(@TempDir Path directory) throws IOException {
    FaultRecorder recorder = new FaultRecorder(directory);
    recorder.write(KILLED);
    recorder.write(failed(KILLED));
    Cell without = new Cell(Area.KILL, "a", "b", List.of(), "T.c (x, y)", "processes", true);
    recorder.write(without);
    assertThat(FaultPageCommand.read(List.of(directory.toString())))
        .containsExactlyInAnyOrderElementsOf(Stream.of(failed(KILLED), without).toList());
  }
}
