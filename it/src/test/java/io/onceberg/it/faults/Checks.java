package io.onceberg.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.onceberg.it.platform.Tables;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What must hold between what the shop sent and what the tables have. */
final class Checks {
  private static final Duration LONG = Duration.ofMinutes(2);

  private Checks() {}

  /**
   * Waits until the ledgers of these targets have come to the ends of their topics.
   *
   * @param alive throws when there is no use in waiting
   */
  static void awaitCaughtUp(Shop shop, Tables tables, Runnable alive, String... targets) {
    for (String target : targets) {
      Map<String, Long> ends = shop.ends(target);
      await(target + " to reach " + ends)
          .atMost(LONG)
          .pollInterval(Duration.ofMillis(50))
          .until(
              () -> {
                alive.run();
                return tables.offsets(target).equals(ends)
                    && tables.offsets(target + "_keys").equals(ends);
              });
    }
  }

  /** Nothing is lost and nothing is there twice, in rows, keys, quarantine and files. */
  static void assertWhole(Shop shop, Tables tables, String target) {
    assertThat(tables.rows(target))
        .as("rows of " + target)
        .containsExactlyInAnyOrderElementsOf(shop.positions(target));
    assertThat(tables.keys(target))
        .as("keys of " + target)
        .containsExactlyInAnyOrderElementsOf(shop.positions(target));
    assertThat(tables.quarantine(target))
        .as("quarantine of " + target)
        .doesNotHaveDuplicates()
        .hasSize(shop.undecodable(target));
    for (String table : List.of(target, target + "_keys", target + "_quarantine")) {
      assertThat(tables.files(table)).as("files of " + table).doesNotHaveDuplicates();
    }
    assertThat(tables.offsets(target))
        .as("ledger of " + target)
        .isEqualTo(shop.ends(target))
        .isEqualTo(tables.offsets(target + "_keys"));
  }
}
