package io.onceberg.it.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The whole path on the whole platform. Every scenario ends in the same check: tables, keys and
 * ledger against what the database has recorded.
 */
class PlatformTest {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String BATCH = "batch target=";
  private static final int KILLS = 5;
  private static final long SEED = 20_261_130;

  @Test
  void everyChangeBecomesOneRow() throws SQLException {
    try (Scenario scenario = new Scenario("plain");
        RunningDaemon daemon = scenario.startDaemon()) {
      try (Traffic traffic = scenario.traffic(SEED)) {
        daemon.awaitOutput(BATCH, 0, LONG);
        traffic.awaitMore(100);
      }
      scenario.assertWhole(daemon);
      Scenario.assertEndsWell(daemon);
    }
  }

  /** The connector has sent everything and stored no position, so it sends everything again. */
  @Fault(
      area = Area.SOURCE,
      what =
          "the Connect worker is killed before it has stored a position: every event comes again",
      outcome = "counted as connector_replay; nothing lost, nothing twice")
  @Test
  void connectorReplayAddsNothing() throws SQLException {
    Stack stack = SharedPlatform.stack();
    try (Scenario scenario = new Scenario("replay");
        RunningDaemon daemon = scenario.startDaemon()) {
      try (Traffic traffic = scenario.traffic(SEED + 1)) {
        traffic.awaitMore(100);
      }
      scenario.assertWhole(daemon);
      long before = scenario.records(AuditedTable.ORDERS);
      stack.kill(Service.CONNECT);
      stack.restart(Service.CONNECT);
      await("all of it once more")
          .atMost(LONG)
          .pollInterval(Duration.ofMillis(200))
          .until(() -> scenario.records(AuditedTable.ORDERS) >= 2 * before - 100);
      scenario.assertWhole(daemon);
      assertThat(daemon.output()).containsPattern("connector_replay=[1-9]");
      Scenario.assertEndsWell(daemon);
    }
  }

  @Fault(
      area = Area.KILL,
      what = "the daemon is killed (SIGKILL) between plan and commit, with everything else at work")
  @Test
  void daemonKilledInMidBatch() throws SQLException {
    try (Scenario scenario = new Scenario("daemon");
        Traffic traffic = scenario.traffic(SEED + 20)) {
      assertThat(killedInOpenBatch(scenario)).as("a kill between plan and commit").isTrue();
      try (RunningDaemon next = scenario.startDaemon()) {
        next.awaitOutput(BATCH, 0, LONG);
        traffic.end();
        scenario.assertWhole(next);
        Scenario.assertEndsWell(next);
      }
    }
  }

  /** Kills a daemon after a plan; a batch may be faster, so it is tried a few times. */
  private static boolean killedInOpenBatch(Scenario scenario) {
    for (int i = 0; i < KILLS; i++) {
      RunningDaemon daemon = scenario.startDaemon();
      daemon.awaitOutput(BATCH, 0, LONG);
      daemon.awaitOutput("plan target=", daemon.output().length(), LONG);
      daemon.kill();
      if (scenario.isBatchOpen(daemon.output())) {
        return true;
      }
    }
    return false;
  }
}
