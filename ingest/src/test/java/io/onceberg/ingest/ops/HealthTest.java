package io.onceberg.ingest.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.TargetName;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class HealthTest {
  private static final TargetName ORDERS = TargetName.parse("shop.orders");
  private static final TargetName ITEMS = TargetName.parse("shop.items");

  private final AtomicLong now = new AtomicLong();
  private final Health health = new Health(Duration.ofMinutes(15), now::get);

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void nothingToReadIsHealthyHoweverLongItLasts() {
    health.planned(Set.of(ORDERS));
    health.committed(ORDERS);
    health.planned(Set.of());
    pass(Duration.ofDays(3));
    assertThat(health.complaints()).isEmpty();
  }

  /** Other targets are committed and the process runs; this one is not served. */
  @Test
  void recordsThatWaitTooLongAreToldUntilTheyAreCommitted() {
    health.planned(Set.of(ORDERS, ITEMS));
    for (int i = 0; i < 16; i++) {
      pass(Duration.ofMinutes(1));
      health.committed(ITEMS);
      health.works();
      health.planned(Set.of(ORDERS, ITEMS));
      assertThat(health.complaints()).hasSize(i < 15 ? 0 : 1);
    }
    assertThat(health.complaints())
        .containsExactly("records of shop.orders have waited 960 s for a commit");
    health.committed(ORDERS);
    assertThat(health.complaints()).isEmpty();
  }

  @Test
  void anHourOfFailuresIsToldWhetherOrNotAnythingIsKnownToWait() {
    OncebergException down = new OncebergException(ErrorCode.CATALOG_UNREACHABLE, "down");
    for (int i = 0; i < 60; i++) {
      health.failing(down);
      pass(Duration.ofMinutes(1));
    }
    assertThat(health.complaints()).containsExactly("nothing has worked for 3600 s: OB-501");
    health.works();
    assertThat(health.complaints()).isEmpty();
  }

  @Test
  void aStoppedTargetIsToldAtOnceAndForGood() {
    health.planned(Set.of(ORDERS));
    health.stopped(ORDERS, new OncebergException(ErrorCode.TOPIC_RECREATED, "again"));
    health.works();
    health.planned(Set.of());
    assertThat(health.complaints()).containsExactly("shop.orders is stopped: OB-203");
  }
}
