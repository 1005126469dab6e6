package io.onceberg.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.platform.Tables;
import io.onceberg.it.registry.TestRegistry;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.SharedStack;
import io.onceberg.it.stack.SparkCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tasks of a batch in other processes than the daemon's: a standalone cluster. */
class ClusterTest {
  private static final Duration LONG = Duration.ofSeconds(90);
  private static final int WORKERS = 2;

  @TempDir private static Path home = Path.of("");
  private static TestRegistry registry;
  private static AvroEvents events;
  private static Shop shop;
  private static SparkCluster cluster;
  private static OwnedProcess daemon;
  private static Tables tables;

  @BeforeAll
  static void start() {
    Map<String, String> catalog = Shop.jdbc(home.resolve("warehouse"));
    cluster = SparkCluster.start(home, WORKERS);
    registry = TestRegistry.start();
    events = new AvroEvents(registry);
    shop = new Shop(SharedStack.kafka(), events);
    shop.sell(25_000); // enough for more than one writing task
    shop.garble();
    Map<String, String> settings = shop.settings(catalog);
    settings.putAll(cluster.settings());
    daemon = DaemonProcess.start(home, settings);
    tables = new Tables(catalog);
    awaitWhole();
    awaitExecutors();
  }

  @Fault(area = Area.KILL, what = "an executor of a Spark cluster is killed between batches")
  @Test
  void executorKilledBetweenBatches() {
    cluster.executors().get(0).destroyForcibly();
    shop.replay();
    shop.sell(500);
    awaitWhole();
    awaitExecutors();
    shop.replay();
    awaitWhole();
  }

  /** Their tasks are surely at work: they wait for a schema that the registry does not send. */
  @Fault(area = Area.KILL, what = "every executor of a Spark cluster is killed in mid-batch")
  @Test
  void executorsKilledInMidBatch() {
    int asked = registry.requests();
    registry.hang(true);
    events.alter();
    shop.sell(500);
    Awaitility.await("a task at work").atMost(LONG).until(() -> registry.requests() > asked);
    Map<String, Long> before = tables.offsets(Shop.ORDERS);
    List<ProcessHandle> lost = cluster.executors();
    lost.forEach(ProcessHandle::destroyForcibly);
    Awaitility.await("their end")
        .atMost(LONG)
        .until(() -> lost.stream().noneMatch(p -> p.isAlive()));
    assertThat(tables.offsets(Shop.ORDERS)).as("the batch was open").isEqualTo(before);
    registry.hang(false);
    awaitWhole();
    awaitExecutors();
    shop.replay();
    awaitWhole();
  }

  @AfterAll
  static void end() {
    try {
      assertThat(daemon.terminate(Duration.ofSeconds(10))).as(daemon::tail).isTrue();
      assertThat(daemon.exitStatus()).hasValue(0);
    } finally {
      tables.close();
      daemon.close();
      shop.close();
      registry.close();
      cluster.close();
    }
  }

  /** Tasks run in these, and nowhere else. */
  private static void awaitExecutors() {
    Awaitility.await().atMost(LONG).until(() -> cluster.executors().size() == WORKERS);
  }

  private static void awaitWhole() {
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
