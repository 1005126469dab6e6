package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.sink.TargetReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code onceberg keys rebuild} of business keys. */
class EventKeyRebuildTest extends OutboxTopic {
  private static Event event(int number, String payload) {
    String row =
        "{\"event_id\":\"e%d\",\"tenant\":%d,\"at\":\"2026-03-14\",\"payload\":\"%s\"}"
            .formatted(number, number % 3, payload);
    return Event.change('c', number, 7, "{\"id\":1}", null, row);
  }

  private List<Event> load(Pipeline pipeline) {
    List<Event> all = new ArrayList<>();
    for (int batch = 0; batch < 3; batch++) {
      pipeline.now(Pipeline.NOON.plus(Duration.ofDays(batch)));
      List<Event> events =
          IntStream.range(50 * batch, 50 * batch + 50).mapToObj(i -> event(i, "p" + i)).toList();
      pipeline.send(topic, 0, events);
      assertThat(pipeline.landed().rows()).isEqualTo(50);
      all.addAll(events);
    }
    return all;
  }

  private static List<String> keys(Pipeline pipeline) {
    return pipeline.spark().sql("SELECT * FROM shop.outbox_keys").toJSON().collectAsList().stream()
        .sorted()
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "event_id        | DELETE FROM shop.outbox_keys WHERE event_id > 'e3'",
        "event_id        | DROP TABLE shop.outbox_keys",
        "tenant,event_id | DELETE FROM shop.outbox_keys",
        "tenant,event_id | DROP TABLE shop.outbox_keys",
      })
  void bringsBackKeysAndPayloadHashes(String key, String loss) {
    Pipeline pipeline = open(key, Map.of());
    List<Event> all = load(pipeline);
    List<String> before = keys(pipeline);
    pipeline.sql(loss);
    assertThat(pipeline.command("keys", "rebuild", "--table", "outbox"))
        .contains("shop.outbox: 150 keys in 3 files, ");
    assertThat(keys(pipeline)).isEqualTo(before);
    pipeline.restart();
    pipeline.send(topic, 0, all);
    pipeline.send(topic, 0, List.of(event(7, "changed"), event(700, "new")));
    TargetReport report = pipeline.landed();
    assertThat(report.connectorReplay()).isEqualTo(150);
    assertThat(report.rows()).isEqualTo(1);
    assertThat(report.quarantined()).containsExactly(Map.entry(ErrorCode.EVENT_CONFLICT, 1L));
  }

  /** As in a table from before the hash was kept; nothing is guessed and nothing changed. */
  @Test
  void aRowWithoutItsHashEndsIt() {
    Pipeline pipeline = open("event_id", Map.of());
    load(pipeline);
    List<String> before = keys(pipeline);
    pipeline.sql(
        "UPDATE shop.outbox SET _cdc.content_hash = CAST(NULL AS BINARY) WHERE event_id = 'e1'");
    Pipeline.Said said = pipeline.say("keys", "rebuild", "--table", "outbox");
    assertThat(said.status()).isEqualTo(14);
    assertThat(said.err()).startsWith("error OB-413 ").contains("_cdc.content_hash");
    assertThat(keys(pipeline)).isEqualTo(before);
  }
}
