package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.sink.TargetReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Business keys of ten days only. The first events come on day 0, their keys go on day 12. */
class EventRetentionTest extends OutboxTopic {
  private static final Instant LATER = Pipeline.NOON.plus(Duration.ofDays(12));
  private static final Map<String, String> TEN_DAYS = Map.of("keys.retention", "10d");

  private static Event event(String id, String payload, Instant made) {
    String row =
        "{\"event_id\":\"%s\",\"tenant\":%d,\"payload\":\"%s\"}"
            .formatted(id, id.length(), payload);
    return Event.change('c', 1, 7, "{\"id\":1}", null, row).madeAt(made);
  }

  private TargetReport land(Pipeline pipeline, Event... events) {
    pipeline.send(topic, 0, List.of(events));
    return pipeline.landed();
  }

  private void loadAndDrop(Pipeline pipeline) {
    TargetReport first =
        land(
            pipeline,
            event("e1", "x", Pipeline.NOON),
            event("e2", "y", Pipeline.NOON),
            event("e30", "z", Pipeline.NOON));
    assertThat(first.rows()).isEqualTo(3);
    pipeline.now(LATER);
    assertThat(land(pipeline, event("e9", "x", LATER)).rows()).isEqualTo(1);
    assertThat(pipeline.count("outbox_keys")).isEqualTo(1);
  }

  /** Replays, conflicts and new ones, whatever time they claim, told apart as if all keys were. */
  @ParameterizedTest
  @ValueSource(strings = {"event_id", "tenant,event_id"})
  void areToldApartAsIfAllKeysWereKept(String key) {
    Pipeline pipeline = open(key, TEN_DAYS);
    loadAndDrop(pipeline);
    TargetReport report =
        land(
            pipeline,
            event("e1", "x", Pipeline.NOON),
            event("e1", "other", LATER),
            event("e2", "changed", LATER),
            event("e30", "z", LATER),
            event("e31", "new", LATER),
            event("e9", "x", LATER));
    assertThat(report.connectorReplay()).as("e1, e30, e9").isEqualTo(3);
    assertThat(report.quarantined()).containsExactly(Map.entry(ErrorCode.EVENT_CONFLICT, 2L));
    assertThat(report.rows()).isEqualTo(1);
    assertThat(report.checkedBeyondHorizon()).as("all but e9 and the second e1").isEqualTo(4);
    assertThat(pipeline.count("outbox")).isEqualTo(5);
    TargetReport again = land(pipeline, event("e2", "changed", LATER));
    assertThat(again.quarantinedBefore()).isEqualTo(1);
  }

  /** The user says that a key never comes twice: only what is old enough is looked for. */
  @Test
  void sourceTimesCountWhereKeysAreNotUsedAgain() {
    Pipeline pipeline =
        open("event_id", Map.of("keys.retention", "10d", "table.outbox.key.reuse", "never"));
    loadAndDrop(pipeline);
    TargetReport report =
        land(
            pipeline,
            event("e1", "x", Pipeline.NOON),
            event("e2", "changed", Pipeline.NOON),
            event("e40", "x", LATER),
            event("e30", "z", LATER).madeAtNoTime());
    assertThat(report.checkedBeyondHorizon()).isEqualTo(3);
    assertThat(report.connectorReplay()).isEqualTo(2);
    assertThat(report.quarantined()).containsExactly(Map.entry(ErrorCode.EVENT_CONFLICT, 1L));
    assertThat(report.rows()).isEqualTo(1);
  }

  /** As in a table from before the hash was kept; what it is cannot be told, and is not guessed. */
  @Test
  void aRowWithoutItsHashStopsTheTarget() {
    Pipeline pipeline = open("event_id", TEN_DAYS);
    loadAndDrop(pipeline);
    pipeline.sql(
        "UPDATE shop.outbox SET _cdc.content_hash = CAST(NULL AS BINARY) WHERE event_id = 'e1'");
    assertThat(land(pipeline, event("e2", "y", LATER)).connectorReplay()).isEqualTo(1);
    pipeline.send(topic, 0, List.of(event("e1", "x", LATER)));
    assertThat(pipeline.failed().error().code()).isEqualTo(ErrorCode.IDENTITY_NOT_STORED);
    assertThat(pipeline.failed().error()).hasMessageContaining("_cdc.content_hash");
  }

  @Test
  void everyRowKeepsTheHashOfItsColumns() {
    Pipeline pipeline = open("event_id", TEN_DAYS);
    land(pipeline, event("e1", "x", Pipeline.NOON), event("e2", "x", LATER));
    assertThat(
            pipeline.sql("SELECT count(*) FROM shop.outbox WHERE _cdc.content_hash IS NULL").get(0))
        .extracting(row -> row.getLong(0))
        .isEqualTo(0L);
    assertThat(pipeline.sql("SELECT DISTINCT _cdc.content_hash FROM shop.outbox")).hasSize(2);
  }
}
