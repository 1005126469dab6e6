package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.onceberg.ingest.sink.TargetReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Keys of past days are merged beside the batches, those of changes by a batch itself. */
class PastDaysTest extends OrdersTopic {
  private static final String FILES_OF_DAYS =
      "SELECT partition.loaded_date, lower_bound IS NULL, count(*) FROM (SELECT partition,"
          + " readable_metrics.lsn.lower_bound AS lower_bound FROM shop.orders_keys.files)"
          + " GROUP BY 1, 2 ORDER BY 1, 2";

  PastDaysTest() {
    super(1);
  }

  private List<String> filesOfDays() {
    return pipeline.sql(FILES_OF_DAYS).stream()
        .map(
            row ->
                "%s %s %d"
                    .formatted(
                        row.get(0), row.getBoolean(1) ? "snapshot" : "changes", row.getLong(2)))
        .toList();
  }

  /** Three batches, each of a change and of snapshot rows. */
  private List<Event> day(int day) {
    pipeline.now(Pipeline.NOON.plus(Duration.ofDays(day)));
    List<Event> all = new ArrayList<>();
    for (int batch = 3 * day; batch < 3 * day + 3; batch++) {
      List<Event> events =
          List.of(
              Event.create(100 + batch, batch, "a"),
              Event.snapshot(5, 1_000 + batch, "r"),
              Event.snapshot(5, 2_000 + batch, "r"));
      pipeline.send(topic, 0, events);
      assertThat(pipeline.landed().rows()).isEqualTo(3);
      all.addAll(events);
    }
    return all;
  }

  @Test
  void withTheFirstBatchOfADay() {
    pipeline.restart(Map.of("keys.merge.width", "1000"));
    pipeline.mergePastDays();
    List<Event> all = new ArrayList<>(day(0));
    assertThat(filesOfDays()).containsExactly("2026-03-14 changes 3", "2026-03-14 snapshot 3");
    all.addAll(day(1));
    await()
        .untilAsserted(
            () ->
                assertThat(filesOfDays())
                    .containsExactly(
                        "2026-03-14 changes 1",
                        "2026-03-14 snapshot 1",
                        "2026-03-15 changes 3",
                        "2026-03-15 snapshot 3"));
    pipeline.send(topic, 0, all);
    TargetReport again = pipeline.landed();
    assertThat(again.rows()).isZero();
    assertThat(again.connectorReplay()).isEqualTo(6);
    assertThat(again.snapshotOverlap()).isEqualTo(12);
    assertThat(pipeline.count("orders_keys")).isEqualTo(18);
  }

  /** A daemon that was started merges what was left to it. */
  @Test
  void alsoAfterAStart() {
    pipeline.restart(Map.of("keys.merge.width", "1000"));
    day(0);
    day(1);
    pipeline.restart();
    pipeline.mergePastDays();
    day(2);
    await()
        .untilAsserted(
            () ->
                assertThat(filesOfDays())
                    .contains("2026-03-14 snapshot 1", "2026-03-15 snapshot 1"));
  }
}
