package io.onceberg.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.platform.Tables;
import io.onceberg.it.stack.SharedStack;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon's clock is set back and forth while it works. */
class ClockJumpsTest {
  @TempDir private Path home;

  /** What waits does so by time that passes; days are only where rows and keys are filed. */
  @Fault(
      area = Area.KILL,
      what = "the daemon's clock jumps a day back, a year ahead, and back again")
  @Test
  void theDaemonsClockJumps() {
    Map<String, String> catalog = Shop.jdbc(home);
    AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-30T12:00:00Z"));
    try (Shop shop = new Shop(SharedStack.kafka());
        Tables tables = new Tables(catalog);
        LocalDaemon daemon = new LocalDaemon(shop.settings(catalog), now::get)) {
      for (Duration jump :
          List.of(
              Duration.ZERO, Duration.ofDays(-1), Duration.ofDays(366), Duration.ofDays(-365))) {
        shop.sell(20);
        now.updateAndGet(before -> before.plus(jump));
        shop.sell(20);
        awaitWhole(shop, tables, daemon);
        shop.replay();
        awaitWhole(shop, tables, daemon);
      }
      assertThat(daemon.complaints()).isEmpty();
      List<Object> days = tables.values(Shop.ORDERS, row -> row.getField("loaded_date"));
      assertThat(new HashSet<>(days)).hasSizeGreaterThanOrEqualTo(3);
      assertThat(daemon.end().worst()).isEmpty();
    }
  }

  private static void awaitWhole(Shop shop, Tables tables, LocalDaemon daemon) {
    Checks.awaitCaughtUp(shop, tables, daemon::check, Shop.ORDERS, Shop.PAYMENTS);
    Checks.assertWhole(shop, tables, Shop.ORDERS);
    Checks.assertWhole(shop, tables, Shop.PAYMENTS);
  }
}
