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
      try (OwnedProcess one = DaemonProcess.start(home, settings);
          LocalDaemon other = new LocalDaemon(settings);
          Tables tables = new Tables(catalog)) {
        await("they meet")
            .atMost(LONG)
            .pollInSameThread()
            .until(
                () -> {
                  other.check();
                  shop.sell(20);
                  return one.output().contains("OB-504");
                });
        shop.garble();
        shop.replay();
        Checks.awaitCaughtUp(shop, tables, other::check, Shop.ORDERS, Shop.PAYMENTS);
        assertThat(one.terminate(Duration.ofSeconds(10))).as(one::tail).isTrue();
        assertThat(one.exitStatus()).as(one::tail).hasValue(0);
        assertThat(other.end().worst()).isEmpty();
        Checks.assertWhole(shop, tables, Shop.ORDERS);
        Checks.assertWhole(shop, tables, Shop.PAYMENTS);
      }
    }
  }
}
