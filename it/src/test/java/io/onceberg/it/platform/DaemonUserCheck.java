package io.onceberg.it.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What only a container can show; runs with the profile {@code containers}. */
class DaemonUserCheck {
  @Test
  void worksAsAUserWithoutRights() throws SQLException {
    try (Scenario scenario = new Scenario("user");
        RunningDaemon daemon = scenario.startDaemon()) {
      daemon.awaitOutput("batch target=", 0, Duration.ofMinutes(2));
      assertThat(((ContainerDaemon) daemon).run("id")).contains("uid=10001", "gid=10001");
      assertThat(((ContainerDaemon) daemon).run("cat", "/proc/1/status")).contains("10001\t10001");
      scenario.assertWhole(daemon);
    }
  }
}
