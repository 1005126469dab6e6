package io.onceberg.it.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The whole path on the whole platform, and each part of it killed at work. Every scenario ends in
 * the same check: tables, keys and ledger against what the database has recorded.
 */
class PlatformTest {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String BATCH = "batch target=";
  private static final long SEED = 20_261_130;

  private static void assertEndsWell(RunningDaemon daemon) {
    assertThat(daemon.stop(Duration.ofSeconds(10))).as(daemon::output).isTrue();
    assertThat(daemon.exitStatus()).as(daemon::output).hasValue(0);
  }

  @Test
  void everyChangeBecomesOneRow() throws SQLException {
    try (Scenario scenario = new Scenario("plain");
        RunningDaemon daemon = scenario.startDaemon()) {
      try (Traffic traffic = new Traffic(scenario.database(), SEED)) {
        daemon.awaitOutput(BATCH, 0, LONG);
        traffic.awaitMore(100);
      }
      scenario.assertWhole(daemon);
      assertEndsWell(daemon);
    }
  }

  /** The connector has sent everything and stored no position, so it sends everything again. */
  @Test
  void connectorReplayAddsNothing() throws SQLException {
    Stack stack = SharedPlatform.stack();
    try (Scenario scenario = new Scenario("replay");
        RunningDaemon daemon = scenario.startDaemon()) {
      try (Traffic traffic = new Traffic(scenario.database(), SEED + 1)) {
        traffic.awaitMore(100);
      }
      scenario.assertWhole(daemon);
      long before = scenario.records(AuditedDatabase.ORDERS);
      stack.kill(Service.CONNECT);
      stack.restart(Service.CONNECT);
      await("all of it once more")
          .atMost(LONG)
          .pollInterval(Duration.ofMillis(200))
          .until(() -> scenario.records(AuditedDatabase.ORDERS) >= 2 * before - 100);
      scenario.assertWhole(daemon);
      assertEndsWell(daemon);
    }
  }

  @ParameterizedTest
  @EnumSource
  void serviceKilledAtWork(Service service) throws SQLException {
    Stack stack = SharedPlatform.stack();
    try (Scenario scenario = new Scenario("kill");
        RunningDaemon daemon = scenario.startDaemon();
        Traffic traffic = new Traffic(scenario.database(), SEED + service.name().hashCode())) {
      daemon.awaitOutput(BATCH, 0, LONG);
      traffic.awaitMore(30);
      stack.kill(service);
      stack.restart(service);
      traffic.awaitMore(30);
      traffic.end();
      scenario.connector().awaitRunning();
      scenario.assertWhole(daemon);
      assertEndsWell(daemon);
    }
  }

  @Test
  void daemonKilledInMidBatch() throws SQLException {
    try (Scenario scenario = new Scenario("daemon");
        Traffic traffic = new Traffic(scenario.database(), SEED + 20)) {
      RunningDaemon daemon = scenario.startDaemon();
      daemon.awaitOutput(BATCH, 0, LONG);
      daemon.awaitOutput("plan target=", daemon.output().length(), LONG);
      daemon.kill();
      try (RunningDaemon next = scenario.startDaemon()) {
        next.awaitOutput(BATCH, 0, LONG);
        traffic.end();
        scenario.assertWhole(next);
        assertEndsWell(next);
      }
    }
  }
}
