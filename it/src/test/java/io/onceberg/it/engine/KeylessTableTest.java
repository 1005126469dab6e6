package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.stack.SharedStack;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/**
 * A table without a key, in a topic of one partition: what is a replay, whatever Debezium counts.
 */
class KeylessTableTest extends OrdersTopic {
  KeylessTableTest() {
    super(1);
  }

  /** Changes of one transaction, each at an LSN of its own, some of them equal. */
  private static List<Event> changes(int from, int until, long firstOrder) {
    List<String> contents = List.of("a", "a", "b", "a", "c");
    List<Event> events = new ArrayList<>();
    for (int i = from; i < until; i++) {
      events.add(unkeyed(100 + i, contents.get(i), firstOrder + i - from));
    }
    return events;
  }

  /** Rows of one COPY. */
  private static List<Event> copied(String contents, long firstOrder) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < contents.length(); i++) {
      events.add(unkeyed(200, contents.substring(i, i + 1), firstOrder + i));
    }
    return events;
  }

  private static Event unkeyed(long lsn, String name, long order) {
    return Event.change('c', lsn, 9, null, null, Event.row(1, name), "3.6.1.Final", 5L, order);
  }

  @Fault(
      area = Area.IDENTITY,
      what =
          "no key: Debezium counts a transaction's changes anew after a start in mid-transaction",
      outcome = "what comes again is a replay, the rest becomes rows")
  @Test
  void aCountThatBeginsAnewInMidTransactionIsNoNewRow() {
    pipeline.send(topic, 0, changes(0, 3, 1));
    assertThat(pipeline.landed().rows()).isEqualTo(3);
    pipeline.send(topic, 0, changes(1, 5, 1));
    TargetReport rest = pipeline.landed();
    assertThat(rest.connectorReplay()).isEqualTo(2);
    assertThat(rest.rows()).isEqualTo(2);
    pipeline.send(topic, 0, changes(0, 5, 1));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(5);
  }

  @Test
  void norIsItWithinABatch() {
    pipeline.send(topic, 0, changes(0, 3, 1));
    pipeline.send(topic, 0, changes(1, 5, 1));
    pipeline.send(topic, 0, changes(0, 5, 1));
    TargetReport all = pipeline.landed();
    assertThat(all.rows()).isEqualTo(5);
    assertThat(all.inBatch()).isEqualTo(7);
  }

  @Fault(
      area = Area.IDENTITY,
      what = "no key: a COPY with equal rows is cut off, and sent again with another count",
      outcome = "each row once, in whatever batches it comes",
      cases = Case.B7)
  @Test
  void equalRowsOfACopyAreCountedByTheirPlace() {
    pipeline.send(topic, 0, copied("aba", 11));
    assertThat(pipeline.landed().rows()).isEqualTo(3);
    pipeline.send(topic, 0, copied("abaaca", 1));
    TargetReport whole = pipeline.landed();
    assertThat(whole.connectorReplay()).isEqualTo(3);
    assertThat(whole.rows()).isEqualTo(3);
    pipeline.send(topic, 0, copied("abaaca", 1));
    pipeline.send(topic, 0, List.of(unkeyed(199, "earlier in the transaction", 20)));
    pipeline.send(topic, 0, copied("abaaca", 21));
    TargetReport twice = pipeline.landed();
    assertThat(twice.connectorReplay()).isEqualTo(6);
    assertThat(twice.inBatch()).isEqualTo(6);
    assertThat(pipeline.count("orders")).isEqualTo(7);
  }

  @Fault(
      area = Area.IDENTITY,
      what = "no key: the producer sends a batch twice, within a COPY with equal rows",
      outcome = "each row once")
  @Test
  void whatTheProducerSendsTwiceWithinACopyIsNoNewRowAndTakesNone() {
    List<Event> rows = copied("aaaaaa", 1);
    pipeline.send(topic, 0, rows.subList(0, 4));
    assertThat(pipeline.landed().rows()).isEqualTo(4);
    pipeline.send(topic, 0, rows.subList(2, 4));
    pipeline.send(topic, 0, rows.subList(4, 6));
    TargetReport rest = pipeline.landed();
    assertThat(rest.connectorReplay()).isEqualTo(2);
    assertThat(rest.rows()).isEqualTo(2);
  }

  /** Rank says that it is new, and Debezium's count is one that an equal row has. */
  @Test
  void aNewRowWhoseCountIsTakenIsKeptAllTheSame() {
    pipeline.send(topic, 0, copied("aa", 2));
    assertThat(pipeline.landed().rows()).isEqualTo(2);
    pipeline.send(topic, 0, copied("aaa", 1));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
    pipeline.send(topic, 0, copied("aaa", 1));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(3);
    assertThat(pipeline.count("orders")).isEqualTo(3);
    assertThat(pipeline.count("orders_keys")).isEqualTo(3);
  }

  @Test
  void aRowThatIsQuarantinedDoesNotTearACopyApart() {
    Event damaged =
        Event.change('c', 200, 9, null, null, "{\"id\":\"not a number\"}", "3.6.1.Final", 5L, 2L);
    pipeline.send(topic, 0, List.of(unkeyed(100, "first", 1)));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
    List<Event> rows = copied("aaa", 1);
    pipeline.send(topic, 0, List.of(rows.get(0), damaged, rows.get(2)));
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isEqualTo(2);
    assertThat(report.quarantined().values()).containsExactly(1L);
    assertThat(report.quarantined()).doesNotContainKey(ErrorCode.EQUALS_UNSETTLED);
  }

  /** A transform that leaves out rows, or two connectors at once. */
  @Fault(
      area = Area.IDENTITY,
      what = "no key: the count has gaps within a COPY",
      outcome = "rows where no equal one is known, else to quarantine (OB-313); none dropped")
  @Test
  void equalRowsThatWereTornApartAreQuarantined() {
    List<Event> rows = copied("abcad", 1);
    pipeline.send(topic, 0, List.of(rows.get(0), rows.get(1), rows.get(3), rows.get(4)));
    TargetReport torn = pipeline.landed();
    assertThat(torn.rows()).isEqualTo(3);
    assertThat(torn.quarantined()).containsExactly(Map.entry(ErrorCode.EQUALS_UNSETTLED, 1L));
    pipeline.send(topic, 0, rows);
    TargetReport whole = pipeline.landed();
    assertThat(whole.connectorReplay()).isEqualTo(3);
    assertThat(whole.rows()).as("c, and the second a").isEqualTo(2);
  }

  @Test
  void equalRowsOfACopyMayBeCutIntoBatchesAnywhere() {
    List<Event> rows = copied("aabaab", 11);
    pipeline.send(topic, 0, List.of(unkeyed(199, "a", 10)));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
    for (Event row : rows) {
      pipeline.send(topic, 0, List.of(row));
      assertThat(pipeline.landed().rows()).isEqualTo(1);
    }
    for (Event row : copied("aabaab", 1)) {
      pipeline.send(topic, 0, List.of(row));
      assertThat(pipeline.landed().connectorReplay()).isEqualTo(1);
    }
    assertThat(pipeline.count("orders")).isEqualTo(7);
  }

  @Test
  void theBeginningOfACopyMayLieFarBack() {
    pipeline.send(topic, 0, copied("a".repeat(300), 1));
    assertThat(pipeline.landed().rows()).isEqualTo(300);
    List<Event> more = copied("a".repeat(310), 1).subList(300, 310);
    pipeline.send(topic, 0, more);
    assertThat(pipeline.landed().rows()).isEqualTo(10);
  }

  @Fault(
      area = Area.IDENTITY,
      what = "no key: several partitions, and the count of a transaction begins anew",
      outcome = "OB-313: quarantined, since a replay and an equal row look alike; never dropped")
  @Test
  void inSeveralPartitionsALowerCountIsQuarantined() {
    pipeline.send(topic, 0, changes(0, 3, 1));
    assertThat(pipeline.landed().rows()).isEqualTo(3);
    Pipeline.growTopic(topic, 2);
    pipeline.restart();
    pipeline.send(topic, 1, changes(1, 5, 1));
    TargetReport anew = pipeline.landed();
    assertThat(anew.rows()).isEqualTo(2);
    assertThat(anew.quarantined()).containsExactly(Map.entry(ErrorCode.EQUALS_UNSETTLED, 2L));
    pipeline.send(topic, 0, changes(1, 5, 1));
    TargetReport again = pipeline.landed();
    assertThat(again.quarantinedBefore()).isEqualTo(2);
    assertThat(again.connectorReplay()).isEqualTo(2);
    pipeline.send(topic, 1, changes(0, 3, 1));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(3);
  }

  @Test
  void inSeveralPartitionsEqualRowsAreToldByTheirCount() {
    Pipeline.growTopic(topic, 2);
    pipeline.restart();
    List<Event> rows = copied("aaa", 4);
    pipeline.send(topic, 0, rows.subList(0, 1));
    pipeline.send(topic, 1, rows.subList(1, 3));
    assertThat(pipeline.landed().rows()).isEqualTo(3);
    pipeline.send(topic, 1, rows);
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(3);
  }

  /** What lies before the range is gone: which of the equal rows it is cannot be counted. */
  @Fault(
      area = Area.IDENTITY,
      what = "no key: Kafka has dropped the first of a COPY's equal rows",
      outcome = "told by their count: rows, a lower count to quarantine (OB-313); none dropped")
  @Test
  void whereKafkaHasDroppedTheBeginningTheCountDecides() throws Exception {
    pipeline.send(topic, 0, copied("aaa", 11));
    assertThat(pipeline.landed().rows()).isEqualTo(3);
    try (Admin admin =
        Admin.create(
            Map.<String, Object>of("bootstrap.servers", SharedStack.kafka().bootstrapServers()))) {
      admin
          .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(3)))
          .all()
          .get();
    }
    pipeline.send(topic, 0, copied("aa", 14));
    pipeline.send(topic, 0, copied("aaaaa", 1));
    TargetReport rest = pipeline.landed();
    assertThat(rest.rows()).isEqualTo(2);
    assertThat(rest.connectorReplay() + rest.inBatch()).isEqualTo(5);
    assertThat(pipeline.count("orders")).isEqualTo(5);
  }
}
