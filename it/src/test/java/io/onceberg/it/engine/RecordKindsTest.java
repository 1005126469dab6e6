package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.decode.ControlKind;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.stack.SharedStack;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of record has its outcome and its counter, and nothing else is lost for it. */
class RecordKindsTest extends OrdersTopic {
  RecordKindsTest() {
    super(1);
  }

  /** Case C1, the tombstone's delete being in the batch before as well. */
  @Fault(
      area = Area.INPUT,
      what = "a tombstone without its delete",
      outcome = "OB-307: quarantined; one after its delete is counted")
  @Test
  void aTombstoneAfterItsDeleteIsCountedAndALoneOneQuarantined() {
    pipeline.send(
        topic,
        0,
        List.of(
            Event.create(1, 1, "a"), Event.delete(2, 1), Event.tombstone(1), Event.tombstone(9)));
    TargetReport first = pipeline.landed();
    assertThat(first.rows()).isEqualTo(2);
    assertThat(first.tombstones()).isEqualTo(1);
    assertThat(first.quarantined()).containsExactly(Map.entry(ErrorCode.LONE_TOMBSTONE, 1L));
    pipeline.send(topic, 0, List.of(Event.delete(3, 4)));
    pipeline.landed();
    pipeline.send(topic, 0, List.of(Event.tombstone(4)));
    TargetReport third = pipeline.landed();
    assertThat(third.tombstones()).isEqualTo(1);
    assertThat(third.quarantined()).isEmpty();
  }

  /** A table without a key: Debezium sends a tombstone after its deletes too, without a key. */
  @Test
  void aRecordWithNeitherKeyNorValueIsCounted() {
    pipeline.send(topic, 0, List.of(Event.create(1, 1, "a")));
    pipeline.sendRaw(topic, 0, null, null);
    TargetReport report = pipeline.landed();
    assertThat(report.tombstones()).isEqualTo(1);
    assertThat(report.quarantined()).isEmpty();
  }

  /** Case C7. */
  @Test
  void aTruncateIsARow() {
    Event truncate = Event.change('t', 5, 7, null, null, null);
    pipeline.send(topic, 0, List.of(Event.create(1, 1, "a"), truncate));
    assertThat(pipeline.landed().rows()).isEqualTo(2);
    pipeline.send(topic, 0, List.of(truncate));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(1);
    Row row = pipeline.sql("SELECT id, name, _cdc.op FROM shop.orders WHERE _cdc.op = 't'").get(0);
    assertThat(row.isNullAt(0)).isTrue();
  }

  /** Case C8: bytes that are no JSON; the rest of the batch lands. */
  @Fault(
      area = Area.INPUT,
      what = "bytes that are no JSON",
      outcome = "OB-301: quarantined with bytes and coordinates; the rest lands")
  @Test
  void undecodableBytesAreQuarantinedWithTheirCoordinates() {
    byte[] garbage = {0, 1, 2, (byte) 0xff};
    pipeline.sendRaw(topic, 0, "k".getBytes(StandardCharsets.UTF_8), garbage);
    pipeline.send(topic, 0, List.of(Event.create(1, 1, "a")));
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isEqualTo(1);
    assertThat(report.quarantined()).containsExactly(Map.entry(ErrorCode.UNDECODABLE, 1L));
    Row row =
        pipeline
            .sql("SELECT error, topic, `partition`, `offset`, value FROM shop.orders_quarantine")
            .get(0);
    assertThat(row.getInt(0)).isEqualTo(301);
    assertThat(row.getString(1)).isEqualTo(topic);
    assertThat(row.getLong(3)).isZero();
    assertThat((byte[]) row.get(4)).isEqualTo(garbage);
  }

  @Fault(
      area = Area.INPUT,
      what = "a batch of nothing but garbage",
      outcome = "quarantined; the ledger moves")
  @Test
  void aBatchOfNothingButGarbageStillMovesTheLedger() {
    pipeline.sendRaw(topic, 0, null, new byte[] {1});
    assertThat(pipeline.landed().quarantined()).hasSize(1);
    assertThat(pipeline.batch()).isEmpty();
    pipeline.restart();
    assertThat(pipeline.batch()).isEmpty();
    pipeline.send(topic, 0, List.of(Event.create(1, 1, "a")));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
  }

  @Test
  void logicalMessagesAreCounted() {
    pipeline.send(
        topic, 0, List.of(Event.change('m', 5, 7, null, null, null), Event.create(6, 1, "a")));
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isEqualTo(1);
    assertThat(report.control()).containsExactly(Map.entry(ControlKind.LOGICAL_MESSAGE, 1L));
  }

  /** Case A8: insert, a new column, an update of the row, all in one batch. */
  @Fault(
      area = Area.INPUT,
      what = "insert, ADD COLUMN and update of one row within one batch",
      outcome = "one commit, two rows, the new column filled in the second",
      cases = Case.A8)
  @Test
  void aColumnAddedInMidBatch() {
    pipeline.send(
        topic,
        0,
        List.of(
            Event.create(1, 1, "a"),
            Event.change(
                'u', 2, 7, Event.key(1), null, "{\"id\":1,\"name\":\"a\",\"city\":\"Rome\"}")));
    assertThat(pipeline.landed().rows()).isEqualTo(2);
    List<Row> rows = pipeline.sql("SELECT name, city FROM shop.orders ORDER BY _cdc.position.lsn");
    assertThat(rows.get(0).isNullAt(1)).isTrue();
    assertThat(rows.get(1).getString(1)).isEqualTo("Rome");
    assertThat(pipeline.sql("SELECT * FROM shop.orders.snapshots")).hasSize(1);
  }

  /** Each order would be right by chance half of the time, if chance decided. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void theFirstRecordOfABatchDecidesWhatItsNewColumnsAre(long first) {
    Event one = Event.change('c', 1, 7, Event.key(1), null, "{\"id\":1,\"a\":1,\"b\":\"text\"}");
    Event two = Event.change('c', 2, 7, Event.key(2), null, "{\"id\":2,\"a\":\"text\",\"b\":2}");
    pipeline.send(topic, 0, first == 1 ? List.of(one, two) : List.of(two, one));
    pipeline.landed();
    assertThat(pipeline.sql("SELECT a, b FROM shop.orders WHERE id = %d".formatted(first)))
        .containsExactly(
            first == 1 ? RowFactory.create(1L, "text") : RowFactory.create("text", 2L));
  }

  /**
   * More columns than a batch may have runs, each far behind the one before: a run that ends at the
   * first new column would never see the last.
   */
  @Test
  void manyColumnsAddedFarApartInOneBatch() {
    long columns = 26;
    int apart = 1_050;
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < columns * apart; i++) {
      String after = "{\"id\":%d,\"c%d\":%d}".formatted(i, i / apart, i);
      events.add(Event.change('c', 1 + i, 7, Event.key(i), null, after));
    }
    pipeline.send(topic, 0, events);
    assertThat(pipeline.landed().rows()).isEqualTo(columns * apart);
    for (int column : List.of(0, 13, 25)) {
      Row row =
          pipeline
              .sql(
                  "SELECT count(c%d), min(c%d) FROM shop.orders WHERE c%d = id"
                      .replace("%d", String.valueOf(column)))
              .get(0);
      assertThat(row.getLong(0)).isEqualTo(apart);
      assertThat(row.getLong(1)).isEqualTo((long) column * apart);
    }
    assertThat(pipeline.sql("SELECT * FROM shop.orders.snapshots")).hasSize(1);
  }

  /** Case C9. */
  @Test
  void oddNames() {
    pipeline.send(
        topic,
        0,
        List.of(
            Event.change(
                'c',
                1,
                7,
                Event.key(1),
                null,
                "{\"id\":1,\"a.b\":\"dot\",\"with space\":\"s\",\"select\":\"r\",\"Id\":\"U\"}")));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
    Row row = pipeline.sql("SELECT `a.b`, `with space`, `select`, `Id` FROM shop.orders").get(0);
    assertThat(row.getString(0)).isEqualTo("dot");
    assertThat(row.getString(1)).isEqualTo("s");
    assertThat(row.getString(2)).isEqualTo("r");
    assertThat(row.getString(3)).isEqualTo("U");
  }

  /** Case C9. */
  @Fault(area = Area.INPUT, what = "a row of a thousand columns", outcome = "lands and reads back")
  @Test
  void aRowOfAThousandColumns() {
    String columns =
        IntStream.range(0, 1_000)
            .mapToObj("\"c%1$d\":%1$d"::formatted)
            .collect(Collectors.joining(","));
    Event wide = Event.change('c', 1, 7, Event.key(1), null, "{\"id\":1,%s}".formatted(columns));
    pipeline.send(topic, 0, List.of(wide, Event.create(2, 2, "narrow")));
    assertThat(pipeline.landed().rows()).isEqualTo(2);
    Row row = pipeline.sql("SELECT c0, c517, c999, name FROM shop.orders WHERE id = 1").get(0);
    assertThat(row).isEqualTo(RowFactory.create(0L, 517L, 999L, null));
    pipeline.send(topic, 0, List.of(wide));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(1);
  }

  /**
   * Case C9, with the daemon's own consumer settings: where the topic lets it through, a record
   * larger than a fetch is read all the same.
   */
  @Fault(area = Area.INPUT, what = "fields of ten megabytes", outcome = "land and read back")
  @Test
  void fieldsOfTenMegabytes() {
    String large = SharedStack.uniqueName("large") + ".public.orders";
    Pipeline.createTopic(large, 1, Map.of("max.message.bytes", String.valueOf(32 << 20)));
    pipeline.restart(Map.of("topics", large));
    String before = "{\"id\":1,\"name\":\"%s\"}".formatted("é".repeat(5_000_000));
    String after = "{\"id\":1,\"name\":\"%s\"}".formatted("ab".repeat(5_000_000));
    Event update = Event.change('u', 2, 7, Event.key(1), before, after);
    pipeline.send(large, 0, List.of(Event.create(1, 1, "small"), update));
    pipeline.send(large, 0, List.of(Event.create(3, 2, "small"), update));
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isEqualTo(3);
    assertThat(report.inBatch()).isEqualTo(1);
    assertThat(
            pipeline.sql(
                "SELECT length(name), replace(name, 'ab', '') = '' FROM shop.orders"
                    + " ORDER BY _cdc.position.lsn"))
        .containsExactly(
            RowFactory.create(5, false),
            RowFactory.create(10_000_000, true),
            RowFactory.create(5, false));
    pipeline.send(large, 0, List.of(update));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(1);
  }
}
