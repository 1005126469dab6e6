package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

/** Append-only facts with a business key. */
class EventsKindTest extends OutboxTopic {
  @Test
  void theSameEventAtAnotherLsnIsAReplay() {
    Pipeline pipeline = open("event_id", Map.of());
    pipeline.send(topic, 0, List.of(outbox(1, "\"e1\"", "x"), outbox(2, "\"e2\"", "y")));
    assertThat(pipeline.landed().rows()).isEqualTo(2);
    pipeline.send(topic, 0, List.of(outbox(9, "\"e1\"", "x"), outbox(9, "\"e3\"", "z")));
    TargetReport second = pipeline.landed();
    assertThat(second.connectorReplay()).isEqualTo(1);
    assertThat(second.rows()).isEqualTo(1);
    assertThat(pipeline.count("outbox_keys")).isEqualTo(3);
  }

  /** Case B11. */
  @Fault(
      area = Area.IDENTITY,
      what = "a null in a business key, replayed",
      outcome = "OB-304: quarantined, once",
      cases = Case.B11)
  @Test
  void aNullKeyIsQuarantinedOnceHoweverOftenItComes() {
    Pipeline pipeline = open("event_id", Map.of());
    pipeline.send(topic, 0, List.of(outbox(1, "null", "x"), outbox(2, "\"e2\"", "y")));
    TargetReport first = pipeline.landed();
    assertThat(first.quarantined()).containsExactly(Map.entry(ErrorCode.NULL_IN_EVENT_KEY, 1L));
    assertThat(first.rows()).isEqualTo(1);
    pipeline.send(topic, 0, List.of(outbox(1, "null", "x")));
    assertThat(pipeline.landed().quarantinedBefore()).isEqualTo(1);
    assertThat(pipeline.count("outbox_quarantine")).isEqualTo(1);
  }

  /** Case B12, within one batch and against the table, replayed. */
  @Fault(
      area = Area.IDENTITY,
      what = "one business key with two payloads",
      outcome = "OB-305: quarantined, never dropped as a duplicate",
      cases = Case.B12)
  @Test
  void anotherPayloadUnderOneKeyIsAConflict() {
    Pipeline pipeline = open("event_id", Map.of());
    pipeline.send(topic, 0, List.of(outbox(1, "\"e1\"", "x"), outbox(2, "\"e1\"", "other")));
    TargetReport first = pipeline.landed();
    assertThat(first.rows()).isEqualTo(1);
    assertThat(first.quarantined()).containsExactly(Map.entry(ErrorCode.EVENT_CONFLICT, 1L));
    pipeline.send(topic, 0, List.of(outbox(3, "\"e1\"", "third"), outbox(4, "\"e1\"", "other")));
    TargetReport second = pipeline.landed();
    assertThat(second.quarantined()).containsExactly(Map.entry(ErrorCode.EVENT_CONFLICT, 1L));
    assertThat(second.quarantinedBefore()).isEqualTo(1);
    List<Row> raw =
        pipeline.sql("SELECT error, CAST(value AS STRING) v FROM shop.outbox_quarantine");
    assertThat(raw).hasSize(2);
    assertThat(raw).allSatisfy(row -> assertThat(row.getInt(0)).isEqualTo(305));
    assertThat(raw).anySatisfy(row -> assertThat(row.getString(1)).contains("other"));
    assertThat(raw).anySatisfy(row -> assertThat(row.getString(1)).contains("third"));
  }

  /** Their raw bytes are read once more, without a fetch for each. */
  @Test
  void manyConflictsAreReadAgainInOnePass() {
    Pipeline pipeline = open("event_id", Map.of());
    pipeline.send(topic, 0, events(0, 100, "first"));
    assertThat(pipeline.landed().rows()).isEqualTo(100);
    List<Event> mixed = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      mixed.addAll(events(i, i + 1, "other"));
      mixed.addAll(events(1_000 + i, 1_001 + i, "first"));
    }
    pipeline.send(topic, 0, mixed);
    double fetches = fetches();
    TargetReport second = pipeline.landed();
    assertThat(second.rows()).isEqualTo(100);
    assertThat(second.quarantined()).containsExactly(Map.entry(ErrorCode.EVENT_CONFLICT, 100L));
    assertThat(fetches() - fetches).isLessThan(50);
    assertThat(
            pipeline.sql(
                "SELECT offset, CAST(value AS STRING), detail FROM shop.outbox_quarantine"
                    + " ORDER BY offset"))
        .extracting(row -> row.getLong(0), row -> row.getString(1))
        .containsExactlyElementsOf(
            IntStream.range(0, 100)
                .mapToObj(i -> tuple(100L + 2L * i, mixed.get(2 * i).value()))
                .toList());
    pipeline.send(topic, 0, mixed);
    TargetReport third = pipeline.landed();
    assertThat(third.quarantinedBefore()).isEqualTo(100);
    assertThat(third.connectorReplay()).isEqualTo(100);
  }

  /** The stored event comes again after a conflicting one: it is a row, and no conflict. */
  @Test
  void aReplayBehindItsConflictIsAReplay() {
    Pipeline pipeline = open("event_id", Map.of());
    pipeline.send(topic, 0, List.of(outbox(1, "\"e1\"", "stored")));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
    List<Event> swapped = List.of(outbox(2, "\"e1\"", "other"), outbox(1, "\"e1\"", "stored"));
    pipeline.send(topic, 0, swapped);
    TargetReport second = pipeline.landed();
    assertThat(second.connectorReplay()).isEqualTo(1);
    assertThat(second.quarantined()).containsExactly(Map.entry(ErrorCode.EVENT_CONFLICT, 1L));
    pipeline.send(topic, 0, swapped);
    TargetReport third = pipeline.landed();
    assertThat(third.connectorReplay()).isEqualTo(1);
    assertThat(third.quarantinedBefore()).isEqualTo(1);
    assertThat(pipeline.count("outbox_quarantine")).isEqualTo(1);
  }

  /** Rows of one INSERT share an LSN; without a key only their values tell them apart. */
  @Test
  void refusedRowsOfOneStatementAreAllQuarantined() {
    Pipeline pipeline = open("event_id", Map.of());
    List<Event> rows =
        List.of(
            Event.change('c', 1, 7, null, null, row("null", "x")),
            Event.change('c', 1, 7, null, null, row("null", "y")),
            Event.change('c', 1, 7, Event.key(1), null, row("null", "x")),
            Event.change('c', 1, 7, Event.key(1), null, row("null", "y")));
    pipeline.send(topic, 0, rows);
    assertThat(pipeline.landed().quarantined())
        .containsExactly(Map.entry(ErrorCode.NULL_IN_EVENT_KEY, 4L));
    pipeline.send(topic, 0, rows);
    assertThat(pipeline.landed().quarantinedBefore()).isEqualTo(4);
  }

  private static List<Event> events(int from, int until, String payload) {
    return IntStream.range(from, until)
        .mapToObj(i -> outbox(i, "\"e%d\"".formatted(i), payload))
        .toList();
  }

  /** How often the reading consumers of this JVM have asked a broker for records. */
  private static double fetches() {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    try {
      ObjectName readers =
          new ObjectName(
              "kafka.consumer:type=consumer-fetch-manager-metrics,client-id=onceberg-reader-*");
      double total = 0;
      for (ObjectName reader : beans.queryNames(readers, null)) {
        total += (Double) beans.getAttribute(reader, "fetch-total");
      }
      return total;
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  @Fault(
      area = Area.IDENTITY,
      what = "one business key with two payloads, conflict=stop",
      outcome = "OB-410, the target stops",
      cases = Case.B12)
  @Test
  void aConflictMayStopTheTarget() {
    Pipeline pipeline = open("event_id", Map.of("table.outbox.conflict", "stop"));
    pipeline.send(topic, 0, List.of(outbox(1, "\"e1\"", "x")));
    pipeline.landed();
    pipeline.send(topic, 0, List.of(outbox(2, "\"e2\"", "y"), outbox(3, "\"e1\"", "other")));
    assertThat(pipeline.failed().error().code()).isEqualTo(ErrorCode.CONFLICT_STOP);
    assertThat(pipeline.count("outbox")).isEqualTo(1);
  }

  @Test
  void aConflictMayBeDroppedAndCounted() {
    Pipeline pipeline = open("event_id", Map.of("table.outbox.conflict", "keep-first"));
    pipeline.send(
        topic,
        0,
        List.of(
            outbox(1, "\"e1\"", "x"),
            outbox(2, "\"e1\"", "other"),
            Event.change('d', 3, 7, Event.key(1), row("\"e1\"", "x"), null),
            Event.tombstone(1)));
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isEqualTo(1);
    assertThat(report.conflictsDropped()).isEqualTo(2);
    assertThat(report.tombstones()).isEqualTo(1);
  }

  @Fault(
      area = Area.IDENTITY,
      what = "an update or delete of an append-only event",
      outcome = "OB-306: quarantined")
  @Test
  void updatesAndDeletesGoToQuarantine() {
    Pipeline pipeline = open("event_id", Map.of());
    pipeline.send(
        topic,
        0,
        List.of(
            outbox(1, "\"e1\"", "x"),
            Event.change('u', 2, 7, Event.key(1), null, row("\"e1\"", "y")),
            Event.change('d', 3, 7, Event.key(1), row("\"e1\"", "x"), null),
            Event.tombstone(1)));
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isEqualTo(1);
    assertThat(report.quarantined()).containsExactly(Map.entry(ErrorCode.EVENT_MUTATION, 2L));
    assertThat(report.tombstones()).isEqualTo(1);
  }

  /** Case B13: text in one batch, a timestamp in the table. */
  @Fault(
      area = Area.IDENTITY,
      what = "a timestamp in a composite key comes as text, then as a timestamp",
      outcome = "one key",
      cases = Case.B13)
  @Test
  void aCompositeKeyIsComparedInTheTablesTypes() {
    Pipeline pipeline = open("device,at", Map.of("value.converter.schemas.enable", "true"));
    pipeline.send(
        topic,
        0,
        List.of(
            reading("\"int64\",\"name\":\"io.debezium.time.MicroTimestamp\"", "1779530400000000")));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
    pipeline.send(topic, 0, List.of(reading("\"string\"", "\"2026-05-23 10:00:00\"")));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(1);
  }

  /** The hash that leads a composite key does not know how wide its columns are. */
  @Test
  void aCompositeKeyIsFoundAfterItsColumnsWereWidened() {
    Pipeline pipeline = open("n,f", Map.of("value.converter.schemas.enable", "true"));
    pipeline.send(topic, 0, List.of(measured("int32", "float"), measured("int32", "float")));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
    pipeline.send(topic, 0, List.of(measured("int64", "double")));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(1);
    assertThat(pipeline.sql("SELECT n, f, key_hash FROM shop.outbox_keys"))
        .hasSize(1)
        .allSatisfy(row -> assertThat(row.get(0)).isEqualTo(7L))
        .allSatisfy(row -> assertThat(row.isNullAt(2)).isFalse());
  }

  private static Event measured(String integer, String floating) {
    return new Event(
        null,
        ("{\"schema\":{\"type\":\"struct\",\"optional\":false,\"fields\":["
                + "{\"type\":\"%s\",\"optional\":false,\"field\":\"n\"},"
                + "{\"type\":\"%s\",\"optional\":false,\"field\":\"f\"}]},"
                + "\"payload\":{\"n\":7,\"f\":0.25}}")
            .formatted(integer, floating));
  }

  private static Event outbox(long lsn, String eventId, String payload) {
    return Event.change('c', lsn, 7, Event.key(lsn), null, row(eventId, payload));
  }

  private static String row(String eventId, String payload) {
    return "{\"event_id\":%s,\"payload\":\"%s\"}".formatted(eventId, payload);
  }

  /** A flattened event with schema; its timestamp comes as the given type. */
  private static Event reading(String type, String at) {
    return new Event(
        null,
        ("{\"schema\":{\"type\":\"struct\",\"optional\":false,\"fields\":["
                + "{\"type\":\"string\",\"optional\":false,\"field\":\"device\"},"
                + "{\"type\":%s,\"optional\":false,\"field\":\"at\"},"
                + "{\"type\":\"int32\",\"optional\":true,\"field\":\"degrees\"}]},"
                + "\"payload\":{\"device\":\"d1\",\"at\":%s,\"degrees\":20}}")
            .formatted(type, at));
  }
}
