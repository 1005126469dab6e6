package io.onceberg.it.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.onceberg.it.bench.CommitLog.Commit;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommitLogTest {
  @Test
  void steadyLeavesOutStartAndTail() {
    CommitLog log =
        new CommitLog(
            List.of(
                new Commit(10_000, 200_000),
                new Commit(20_000, 900_000),
                new Commit(30_000, 1_700_000),
                new Commit(60_000, 2_000_000)));
    assertThat(log.steady()).isEqualTo(75_000, within(0.1));
    assertThat(log.toLastRow(5_000)).isEqualTo(2_000_000 / 55.0, within(0.1));
  }

  @Test
  void commitsWithoutRowsAfterTheLastRowDoNotCount() {
    CommitLog log = new CommitLog(List.of(new Commit(1_000, 100), new Commit(9_000, 100)));
    assertThat(log.toLastRow(0)).isEqualTo(100, within(0.1));
    assertThat(log.steady()).isNaN();
  }
}
