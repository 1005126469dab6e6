package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** No record's bytes may end the daemon or hold it up: what cannot be read is quarantined. */
class PoisonRecordsTest extends OrdersTopic {
  private static final Map<String, String> WITH_SCHEMAS =
      Map.of(
          "key.converter.schemas.enable", "true",
          "value.converter.schemas.enable", "true");

  PoisonRecordsTest() {
    super(1);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void assertQuarantined(TargetReport report, ErrorCode code, long records) {
    assertThat(report.quarantined()).containsExactly(Map.entry(code, records));
    assertThat(pipeline.count("orders_quarantine")).isEqualTo(records);
  }

  /** Avro of a registry begins with zeros, which a JSON parser takes for UTF-32. */
  @Fault(
      area = Area.INPUT,
      what = "Avro on a topic of JSON",
      outcome = "OB-301: quarantined; the rest lands")
  @Test
  void avroOnATopicOfJson() {
    byte[] avro = {0, 0, 0, 0, 5, 2, 40, 77, 1, 2, 3, 4, 99, 98, 97, 96};
    pipeline.send(topic, 0, List.of(Event.create(1, 1, "a")));
    pipeline.sendRaw(topic, 0, utf8(Event.key(2)), avro);
    pipeline.sendRaw(topic, 0, avro, utf8("{}"));
    pipeline.send(topic, 0, List.of(Event.create(3, 3, "c")));
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isEqualTo(2);
    assertQuarantined(report, ErrorCode.UNDECODABLE, 2);
  }

  @Test
  void jsonThatIsNotUtf8() {
    Event update =
        Event.change('u', 5, 7, null, Event.row(1, "a"), Event.row(1, "b"), "3.6.1.Final", 5L, 1L);
    pipeline.send(topic, 0, List.of(Event.create(1, 1, "a")));
    for (Charset charset : List.of(StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE)) {
      pipeline.sendRaw(topic, 0, null, String.valueOf(update.value()).getBytes(charset));
    }
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isEqualTo(1);
    assertQuarantined(report, ErrorCode.UNDECODABLE, 2);
  }

  @Test
  void jsonWithASchemaThatIsNotUtf8() {
    pipeline.restart(WITH_SCHEMAS);
    String document = "{\"schema\":{\"type\":\"string\"},\"payload\":{\"a\":1}}";
    pipeline.sendRaw(topic, 0, null, document.getBytes(StandardCharsets.UTF_16BE));
    assertQuarantined(pipeline.landed(), ErrorCode.UNDECODABLE, 1);
  }

  /** They would become infinity. */
  @Fault(
      area = Area.INPUT,
      what = "numbers beyond double",
      outcome = "OB-303: quarantined, never infinity")
  @Test
  void numbersBeyondDouble() {
    pipeline.send(topic, 0, List.of(number(1, "1.5")));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
    pipeline.send(
        topic,
        0,
        List.of(number(2, "1.0e400"), number(3, "1.0e99999999999"), number(4, "9".repeat(400))));
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isZero();
    assertThat(report.quarantined())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(ErrorCode.UNDECODABLE, 1L, ErrorCode.INCOMPATIBLE_VALUE, 2L));
  }

  private static Event number(long id, String number) {
    return Event.change(
        'c', id, 7, Event.key(id), null, "{\"id\":%d,\"n\":%s}".formatted(id, number));
  }

  /** Parquet cannot write a group without fields. */
  @Test
  void aStructWithoutFields() {
    pipeline.restart(Map.of("table.orders.kind", "events", "table.orders.key", "id"));
    pipeline.restart(WITH_SCHEMAS);
    String id = "{\"type\":\"string\",\"optional\":false,\"field\":\"id\"}";
    String data = "{\"type\":\"struct\",\"optional\":true,\"fields\":[],\"field\":\"data\"}";
    pipeline.sendRaw(topic, 0, null, document(id, "{\"id\":\"a\"}"));
    pipeline.sendRaw(topic, 0, null, document(id + "," + data, "{\"id\":\"b\",\"data\":{}}"));
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isEqualTo(1);
    assertQuarantined(report, ErrorCode.UNDECODABLE, 1);
  }

  private static byte[] document(String fields, String payload) {
    return utf8(
        "{\"schema\":{\"type\":\"struct\",\"optional\":false,\"fields\":[%s]},\"payload\":%s}"
            .formatted(fields, payload));
  }

  /** They tell no row from another, so these are rows of a table without a key. */
  @Fault(
      area = Area.INPUT,
      what = "a record key of nothing but nulls",
      outcome = "no key: known by content and ordinal")
  @Test
  void keysOfNothingButNulls() {
    List<Event> keyless = new ArrayList<>();
    for (String key : List.of("{\"id\":null}", "{}")) {
      keyless.add(Event.change('c', 1, 7, key, null, Event.row(1, "a"), "3.6.1.Final", 5L, 1L));
      keyless.add(Event.change('c', 1, 7, key, null, Event.row(1, "a"), "3.6.1.Final", 5L, 2L));
    }
    pipeline.send(topic, 0, keyless);
    TargetReport first = pipeline.landed();
    assertThat(first.rows()).isEqualTo(2);
    assertThat(first.inBatch()).isEqualTo(2);
    pipeline.send(topic, 0, List.of(Event.create(2, 2, "b")));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
    pipeline.send(topic, 0, keyless);
    TargetReport replayed = pipeline.landed();
    assertThat(replayed.rows()).isZero();
    assertThat(replayed.connectorReplay()).isEqualTo(2);
  }

  /** Each half of a surrogate pair would become a question mark, and two keys one. */
  @Test
  void keysAreToldApartByEveryCharacter() {
    List<Event> events = new ArrayList<>();
    for (String id :
        List.of(
            "e\u0301", "\u00e9", "\\u0000", "a\\u0000", "a", "\ud83d\ude00", "z".repeat(1 << 18))) {
      events.add(text(id, "1"));
    }
    events.add(text("\\ud800", "1"));
    events.add(text("\\ud801", "1"));
    events.add(text("b", "\"\\udc00\""));
    pipeline.send(topic, 0, events);
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isEqualTo(7);
    assertQuarantined(report, ErrorCode.UNDECODABLE, 3);
    pipeline.send(topic, 0, events.subList(0, 7));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(7);
  }

  private static Event text(String id, String value) {
    return Event.change(
        'c',
        1,
        7,
        "{\"id\":\"%s\"}".formatted(id),
        null,
        "{\"id\":\"%s\",\"v\":%s}".formatted(id, value));
  }
}
