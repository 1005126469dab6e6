package io.onceberg.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.platform.Tables;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.SharedStack;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two daemons with the same settings, started by mistake. */
class RivalDaemonsTest {
  private static final Duration LONG = Duration.ofSeconds(90);

  @TempDir private Path home;

  @Fault(
      area = Area.COMMIT,
      what = "two daemons with the same settings work side by side, and both are ended",
      outcome = "one of them is fenced (OB-504) each time they meet; nothing lost, nothing twice")
  @Test
  void twoDaemonsOnTheSameTables() {
    Map<String, String> catalog = Shop.jdbc(home);
    try (Shop shop = new Shop(SharedStack.kafka())) {
      Map<String, String> settings = shop.settings(catalog);
      try (OwnedProcess one = DaemonProcess.start(home.resolve("one"), settings);
          OwnedProcess other = DaemonProcess.start(home.resolve("other"), settings);
          Tables tables = new Tables(catalog)) {
        await("they meet")
            .atMost(LONG)
            .pollInSameThread()
            .until(
                () -> {
                  assertAtWork(one);
                  assertAtWork(other);
                  shop.sell(20);
                  return isFenced(one) || isFenced(other);
                });
        shop.garble();
        shop.replay();
        Checks.awaitCaughtUp(
            shop,
            tables,
            () -> {
              assertAtWork(one);
              assertAtWork(other);
            },
            Shop.ORDERS,
            Shop.PAYMENTS);
        assertEndsInOrder(one);
        assertEndsInOrder(other);
        Checks.assertWhole(shop, tables, Shop.ORDERS);
        Checks.assertWhole(shop, tables, Shop.PAYMENTS);
      }
    }
  }

  private static void assertAtWork(OwnedProcess daemon) {
    assertThat(daemon.alive()).as(daemon::tail).isTrue();
  }

  /** Which of the two it is, the machine decides. */
  private static boolean isFenced(OwnedProcess daemon) {
    return daemon.output().contains("OB-504");
  }

  private static void assertEndsInOrder(OwnedProcess daemon) {
    assertThat(daemon.terminate(Duration.ofSeconds(10))).as(daemon::tail).isTrue();
    assertThat(daemon.exitStatus()).as(daemon::tail).hasValue(0);
  }
}
