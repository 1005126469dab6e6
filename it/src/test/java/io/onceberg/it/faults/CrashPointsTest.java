package io.onceberg.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.catalog.RestCatalogServer;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.platform.Tables;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.SharedStack;
import io.onceberg.keystore.CrashPoint;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The daemon dies at each step of the protocol, in a process of its own, and is started again.
 *
 * <p>Cases A3 (nothing is acknowledged before its commit: every point), A1 (dead after the commit,
 * before anything is acknowledged: {@code BEFORE_ACK}), A2 (the commit took effect and its answer
 * was never seen: {@code POINTERS_MOVED}) and A7 (a batch is looked for, and found, in the ledger
 * before it is completed: {@code ROWS_COMMITTED}, {@code QUARANTINE_COMMITTED}, and {@code
 * POINTERS_MOVED} without a commit over several tables).
 */
class CrashPointsTest {
  private static final Duration LONG = Duration.ofSeconds(90);
  private static final int KILLED = 137;
  private static final List<String> TARGETS = List.of(Shop.ORDERS, Shop.PAYMENTS);

  @TempDir private Path home;

  static Stream<Arguments> cells() {
    return Stream.of("jdbc", "rest", "hadoop")
        .flatMap(
            catalog ->
                Stream.of(CrashPoint.values())
                    .filter(point -> catalog.equals("hadoop") || !isOfRollForward(point))
                    .filter(point -> catalog.equals("jdbc") || !isBeforeTheCatalog(point))
                    .map(point -> Arguments.of(point, catalog)));
  }

  private static boolean isOfRollForward(CrashPoint point) {
    return point == CrashPoint.ROWS_COMMITTED || point == CrashPoint.QUARANTINE_COMMITTED;
  }

  /** Whatever the catalog is, it has not been asked yet; one kind is enough. */
  private static boolean isBeforeTheCatalog(CrashPoint point) {
    return point == CrashPoint.READ
        || point == CrashPoint.JOB_DONE
        || point == CrashPoint.FILES_STAGED;
  }

  @Fault(
      area = Area.KILL,
      what = "the daemon is killed (SIGKILL) at a step of the protocol, and started again",
      cases = {Case.A1, Case.A2, Case.A3, Case.A7})
  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("cells")
  void nothingIsLostAndNothingIsThereTwice(CrashPoint point, String type) throws IOException {
    Path warehouse = home.resolve("warehouse");
    switch (type) {
      case "jdbc" -> dieAndGoOn(point, Shop.jdbc(warehouse), true);
      case "rest" -> {
        try (RestCatalogServer server = Shop.restServer(warehouse)) {
          dieAndGoOn(point, Shop.rest(server), true);
        }
      }
      default -> dieAndGoOn(point, Shop.hadoop(warehouse), false);
    }
  }

  private void dieAndGoOn(CrashPoint point, Map<String, String> catalog, boolean atomic) {
    try (Shop shop = new Shop(SharedStack.kafka())) {
      Map<String, String> settings = shop.settings(catalog);
      if (point != CrashPoint.READ) { // this one at first sight, before there are tables
        shop.sell(20);
        shop.garble();
        runUntilCaughtUp(shop, settings, catalog);
        shop.replay();
      }
      shop.sell(40);
      shop.garble();
      die(settings, point);
      try (Tables tables = new Tables(catalog)) {
        TARGETS.forEach(target -> assertInStep(tables, target, atomic));
        assertNothingAcknowledgedBeforeItsCommit(shop, tables);
      }
      try (LocalDaemon daemon = new LocalDaemon(settings);
          Tables tables = new Tables(catalog)) {
        awaitWhole(shop, tables, daemon);
        shop.replay();
        shop.sell(10);
        awaitWhole(shop, tables, daemon);
        assertThat(daemon.end().worst()).isEmpty();
      }
    }
  }

  private static void runUntilCaughtUp(
      Shop shop, Map<String, String> settings, Map<String, String> catalog) {
    try (LocalDaemon daemon = new LocalDaemon(settings);
        Tables tables = new Tables(catalog)) {
      Checks.awaitCaughtUp(shop, tables, daemon::check, Shop.ORDERS, Shop.PAYMENTS);
      assertThat(daemon.end().worst()).isEmpty();
    }
  }

  private void die(Map<String, String> settings, CrashPoint point) {
    OwnedProcess daemon =
        DaemonProcess.start(home, settings, "-D" + CrashPoint.PROPERTY + "=" + point);
    assertThat(daemon.awaitEnd(LONG)).as(daemon::tail).isTrue();
    assertThat(daemon.exitStatus()).as(daemon::tail).hasValue(KILLED);
  }

  /** What anyone may see while the daemon is dead. */
  private static void assertInStep(Tables tables, String target, boolean atomic) {
    long ahead = tables.batch(target) - tables.batch(target + "_keys");
    assertThat(ahead).as("batches by which rows are ahead of keys").isBetween(0L, atomic ? 0L : 1L);
    if (ahead == 0) {
      assertThat(tables.rows(target)).containsExactlyInAnyOrderElementsOf(tables.keys(target));
      assertThat(tables.offsets(target)).isEqualTo(tables.offsets(target + "_keys"));
    } else {
      assertThat(tables.rows(target)).containsAll(tables.keys(target));
    }
  }

  private static void assertNothingAcknowledgedBeforeItsCommit(Shop shop, Tables tables) {
    Map<String, Long> committed = new TreeMap<>();
    TARGETS.forEach(target -> committed.putAll(tables.offsets(target)));
    shop.groupOffsets()
        .forEach(
            (partition, acknowledged) ->
                assertThat(acknowledged)
                    .as("acknowledged of " + partition)
                    .isLessThanOrEqualTo(committed.getOrDefault(partition, 0L)));
  }

  private static void awaitWhole(Shop shop, Tables tables, LocalDaemon daemon) {
    Checks.awaitCaughtUp(shop, tables, daemon::check, Shop.ORDERS, Shop.PAYMENTS);
    TARGETS.forEach(target -> Checks.assertWhole(shop, tables, target));
  }

  /** A catalog that moves one table at a time is refused where that was asked for. */
  @Fault(
      area = Area.COMMIT,
      what = "commit.atomicity=required, and the catalog moves one table at a time",
      outcome = "OB-503, the daemon stops")
  @Test
  void atomicityThatTheCatalogCannotGiveIsRefused() {
    try (Shop shop = new Shop(SharedStack.kafka())) {
      Map<String, String> settings = shop.settings(Shop.hadoop(home.resolve("warehouse")));
      settings.put("commit.atomicity", "required");
      OwnedProcess daemon = DaemonProcess.start(home, settings);
      assertThat(daemon.awaitEnd(LONG)).as(daemon::tail).isTrue();
      assertThat(daemon.exitStatus()).hasValue(15);
      assertThat(daemon.output())
          .contains("error OB-503", "commit.atomicity = best")
          .doesNotContain("\tat ");
    }
  }
}
