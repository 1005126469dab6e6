package io.onceberg.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.platform.Tables;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.SharedStack;
import io.onceberg.it.stack.SparkCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tasks of a batch in other processes than the daemon's: a standalone cluster. */
class ClusterTest {
  private static final Duration LONG = Duration.ofSeconds(90);
  private static final int WORKERS = 2;

  @TempDir private Path home;

  @Test
  void executorsReadWriteAndLookUpAndOneMayDie() {
    Map<String, String> catalog = Shop.jdbc(home.resolve("warehouse"));
    try (SparkCluster cluster = SparkCluster.start(home, WORKERS);
        Shop shop = new Shop(SharedStack.kafka())) {
      shop.sell(25_000); // enough for more than one writing task
      shop.garble();
      Map<String, String> settings = shop.settings(catalog);
      settings.putAll(cluster.settings());
      try (OwnedProcess daemon = DaemonProcess.start(home, settings);
          Tables tables = new Tables(catalog)) {
        awaitWhole(shop, tables, daemon);
        awaitExecutors(cluster);

        ProcessHandle lost = cluster.executors().get(0);
        lost.destroyForcibly();
        shop.replay();
        shop.sell(500);
        awaitWhole(shop, tables, daemon);
        awaitExecutors(cluster);
        shop.replay();
        awaitWhole(shop, tables, daemon);
        assertThat(daemon.terminate(Duration.ofSeconds(10))).as(daemon::tail).isTrue();
        assertThat(daemon.exitStatus()).hasValue(0);
      }
    }
  }

  /** Tasks run in these, and nowhere else. */
  private static void awaitExecutors(SparkCluster cluster) {
    Awaitility.await().atMost(LONG).until(() -> cluster.executors().size() == WORKERS);
  }

  private static void awaitWhole(Shop shop, Tables tables, OwnedProcess daemon) {
    Checks.awaitCaughtUp(
        shop,
        tables,
        () -> assertThat(daemon.alive()).as(daemon::tail).isTrue(),
        Shop.ORDERS,
        Shop.PAYMENTS);
    Checks.assertWhole(shop, tables, Shop.ORDERS);
    Checks.assertWhole(shop, tables, Shop.PAYMENTS);
  }
}
