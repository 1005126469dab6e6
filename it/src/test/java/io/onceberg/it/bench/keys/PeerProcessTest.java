package io.onceberg.it.bench.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.it.bench.BenchException;
import io.onceberg.it.stack.Scratch;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** All the ways in which a peer fails, with Delta's Spark. */
class PeerProcessTest {
  private static final Path MODULE = Path.of("peers/delta");
  private static final PeerHeap HEAP = PeerHeap.of("512m");

  private static String classPath = "";

  private final Path home = Scratch.directory("peer");

  @BeforeAll
  static void askMaven() {
    classPath = PeerProcess.classPath(MODULE, Scratch.directory("peer-module"));
  }

  @Test
  void anErrorIsToldByItsFirstCauseAndTheNextStatementIsTaken() {
    try (PeerProcess peer = start(HEAP)) {
      peer.begin("asking for %,d rows", 1_000);
      assertThatThrownBy(() -> peer.sql("SELECT * FROM nowhere"))
          .isInstanceOf(BenchException.class)
          .hasMessageStartingWith("Delta: org.apache.spark.sql.")
          .hasMessageContaining("nowhere")
          .hasMessageContaining(" while asking for 1,000 rows;");
      assertThat(peer.sql("SELECT count(*) FROM range(7)")).isEqualTo("7");
    }
  }

  @Test
  void wantOfMemoryIsTheReasonWhateverErrorItEndsIn() {
    try (PeerProcess peer = start(HEAP)) {
      peer.begin("collecting too much");
      assertThatThrownBy(
              () ->
                  peer.sql(
                      "SELECT length(repeat('x', CAST(id + 2000000000 AS INT))) FROM range(1)"))
          .isInstanceOf(BenchException.class)
          .hasMessageMatching(
              "(?s)Delta: java.lang.OutOfMemoryError: [^\n]+ while collecting too much; its heap is"
                  + " 512 MB \\(--peer-heap\\)\n.*");
    }
  }

  @Test
  void aKilledProcessIsSeenAtOnce() {
    try (PeerProcess peer = start(HEAP)) {
      ProcessHandle.of(peer.pid()).orElseThrow().destroyForcibly();
      assertThatThrownBy(() -> peer.sql("SELECT 1"))
          .isInstanceOf(BenchException.class)
          .hasMessageStartingWith("Delta: its process ended with status 137 (killed");
    }
  }

  @Test
  void aHeapThatSparkDoesNotStartWithIsTold() {
    assertThatThrownBy(() -> start(PeerHeap.of("300m")))
        .isInstanceOf(BenchException.class)
        .hasMessageMatching(
            "(?s)Delta: [^\n]+ must be at least [^\n]+ while starting; its heap is 300 MB .*");
  }

  private PeerProcess start(PeerHeap heap) {
    return PeerProcess.start("Delta", classPath, heap, home, Map.of());
  }
}
