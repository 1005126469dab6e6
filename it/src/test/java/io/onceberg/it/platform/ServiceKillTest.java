package io.onceberg.it.platform;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each service is killed at work and started again. One daemon lives through all of it. */
class ServiceKillTest {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int SOME = 30;

  private static Scenario scenario;
  private static RunningDaemon daemon;

  @BeforeAll
  static void start() throws SQLException {
    scenario = new Scenario("kill");
    daemon = scenario.startDaemon();
    daemon.awaitOutput("batch target=", 0, LONG);
  }

  @Fault(
      area = Area.KILL,
      what = "a service is killed (SIGKILL) at work, and started again, under one daemon")
  @ParameterizedTest(name = "{0}")
  @EnumSource
  void nothingIsLostAndNothingIsThereTwice(Service service) throws SQLException {
    Stack stack = SharedPlatform.stack();
    try (Traffic traffic = scenario.traffic(service.name().hashCode())) {
      traffic.awaitMore(SOME);
      stack.kill(service);
      stack.restart(service);
      traffic.awaitMore(SOME);
    }
    scenario.connector().awaitRunning();
    scenario.assertWhole(daemon);
  }

  @AfterAll
  static void end() {
    try {
      Scenario.assertEndsWell(daemon);
    } finally {
      daemon.close();
      scenario.close();
    }
  }
}
