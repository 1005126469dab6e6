package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Inputs that made other systems lose or repeat events: what is, and is not, the same event. */
class IdentityCasesTest extends OrdersTopic {
  IdentityCasesTest() {
    super(2);
  }

  /** Case B2: a transaction writes at LSN 3, 5, 7 and commits after another wrote 4, 6. */
  @Fault(
      area = Area.IDENTITY,
      what = "a transaction writes at LSN 3, 5, 7 and commits after another wrote 4, 6",
      outcome = "five rows; a replay adds none",
      cases = Case.B2)
  @Test
  void lsnsThatFallAreNotSeen() {
    pipeline.send(topic, 0, List.of(Event.create(4, 1, "b"), Event.create(6, 2, "b")));
    assertThat(pipeline.landed().rows()).isEqualTo(2);
    List<Event> late =
        List.of(Event.create(3, 3, "a"), Event.create(5, 4, "a"), Event.create(7, 5, "a"));
    pipeline.send(topic, 0, late);
    assertThat(pipeline.landed().rows()).isEqualTo(3);
    pipeline.send(topic, 0, late);
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(3);
    assertThat(pipeline.count("orders")).isEqualTo(5);
  }

  /** Case B3: INSERT of (1,2),(3,4): two events of one LSN. */
  @Fault(
      area = Area.IDENTITY,
      what = "two events of one INSERT share an LSN",
      outcome = "two rows",
      cases = Case.B3)
  @Test
  void twoRowsOfOneInsert() {
    pipeline.send(topic, 0, List.of(Event.create(9, 1, "2"), Event.create(9, 3, "4")));
    assertThat(pipeline.landed().rows()).isEqualTo(2);
  }

  /** Case B4: a snapshot in mid-stream. */
  @Fault(
      area = Area.IDENTITY,
      what = "a snapshot in mid-stream",
      outcome = "snapshot rows and changes do not suppress each other; unchanged rows add nothing",
      cases = Case.B4)
  @Test
  void snapshotRowsAndChangesDoNotSuppressEachOther() {
    pipeline.send(topic, 0, List.of(Event.create(10, 1, "a"), Event.create(11, 2, "b")));
    pipeline.landed();
    pipeline.send(
        topic,
        0,
        List.of(
            Event.snapshot(20, 1, "a"),
            Event.snapshot(20, 2, "b"),
            Event.update(21, 1, "c"),
            Event.create(22, 3, "d")));
    assertThat(pipeline.landed().rows()).isEqualTo(4);
    pipeline.send(
        topic,
        0,
        List.of(
            Event.snapshot(30, 1, "c"), Event.snapshot(30, 2, "b"), Event.snapshot(30, 3, "d")));
    TargetReport second = pipeline.landed();
    assertThat(second.snapshotOverlap()).as("row 2 is unchanged").isEqualTo(1);
    assertThat(second.rows()).isEqualTo(2);
  }

  /** Case B6: the key changes from 1 to 2: delete, tombstone and create at one LSN. */
  @Fault(
      area = Area.IDENTITY,
      what = "a primary key changes: delete, tombstone and create at one LSN",
      outcome = "both rows; a replay adds none",
      cases = Case.B6)
  @Test
  void aChangedPrimaryKeyKeepsBothRows() {
    List<Event> change = List.of(Event.delete(40, 1), Event.tombstone(1), Event.create(40, 2, "a"));
    pipeline.send(topic, 0, change);
    TargetReport first = pipeline.landed();
    assertThat(first.rows()).isEqualTo(2);
    assertThat(first.tombstones()).isEqualTo(1);
    pipeline.send(topic, 0, change);
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(2);
    assertThat(pipeline.count("orders")).isEqualTo(2);
  }

  /** Case B8: another connector version and other times do not make another event. */
  @Fault(
      area = Area.IDENTITY,
      what = "another connector version repeats an event with other times",
      outcome = "a replay",
      cases = Case.B8)
  @Test
  void anUpgradedConnectorRepeatsTheSameEvents() {
    pipeline.send(
        topic,
        0,
        List.of(
            Event.change(
                'c', 50, 7, Event.key(1), null, Event.row(1, "a"), "2.7.0.Final", 1L, null)));
    pipeline.landed();
    pipeline.send(
        topic,
        1,
        List.of(
            Event.change(
                'c', 50, 7, Event.key(1), null, Event.row(1, "a"), "3.6.1.Final", 999L, null)));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(1);
    assertThat(pipeline.count("orders")).isEqualTo(1);
  }

  /** Case B7 with transaction metadata: in a later batch, and in the same batch. */
  @Fault(
      area = Area.IDENTITY,
      what = "two equal rows of a table without a key, with transaction metadata",
      outcome = "two rows; a replay adds none, in the same batch and later",
      cases = Case.B7)
  @Test
  void twinsOfATableWithoutAKeyAreKeptAndTheirReplayAddsNothing() {
    List<Event> twins = List.of(twin(1L), twin(2L));
    pipeline.send(topic, 0, twins);
    pipeline.send(topic, 0, twins);
    TargetReport first = pipeline.landed();
    assertThat(first.rows()).isEqualTo(2);
    assertThat(first.inBatch()).isEqualTo(2);
    pipeline.send(topic, 1, twins);
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(2);
    assertThat(pipeline.count("orders")).isEqualTo(2);
  }

  /** Case B7 without it: refused, and nothing moves, until the policy is chosen. */
  @Fault(
      area = Area.IDENTITY,
      what = "two equal rows of a table without a key, without transaction metadata",
      outcome = "OB-406, the target stops until a policy is chosen",
      cases = Case.B7)
  @Test
  void twinsWithoutTransactionMetadataAreRefusedUntilThePolicyIsChosen() {
    List<Event> twins = List.of(twin(null), twin(null));
    pipeline.send(topic, 0, twins);
    assertThat(pipeline.failed().error().code()).isEqualTo(ErrorCode.TWINS_UNSETTLED);
    assertThat(pipeline.failed().error()).hasMessageContaining("table.orders.twins");
    pipeline.restart(Map.of("table.orders.twins", "collapse"));
    TargetReport collapsed = pipeline.landed();
    assertThat(collapsed.rows()).isEqualTo(1);
    assertThat(collapsed.inBatch()).isEqualTo(1);
  }

  @Test
  void twinsMayAllBeKept() {
    pipeline.restart(Map.of("table.orders.twins", "keep"));
    pipeline.send(topic, 0, List.of(twin(null), twin(null)));
    assertThat(pipeline.landed().rows()).isEqualTo(2);
  }

  /** Rows of one INSERT share an LSN: where the record key is not unique, they share all of it. */
  @Fault(
      area = Area.IDENTITY,
      what = "a record key that is not unique within a statement",
      outcome = "OB-312: quarantined, never dropped")
  @Test
  void rowsThatTheRecordKeyDoesNotTellApartAreNotDropped() {
    List<Event> rows = List.of(ofCustomer(1), ofCustomer(2), ofCustomer(1), ofCustomer(3));
    pipeline.send(topic, 0, rows);
    TargetReport first = pipeline.landed();
    assertThat(first.rows()).isEqualTo(1);
    assertThat(first.inBatch()).isEqualTo(1);
    assertThat(first.quarantined()).containsExactly(Map.entry(ErrorCode.KEY_NOT_UNIQUE, 2L));
    pipeline.send(topic, 0, rows);
    TargetReport replayed = pipeline.landed();
    assertThat(replayed.connectorReplay()).isEqualTo(1);
    assertThat(replayed.inBatch()).isEqualTo(1);
    assertThat(replayed.quarantinedBefore()).isEqualTo(2);
  }

  /** A batch may end between two rows of one statement. */
  @Fault(
      area = Area.IDENTITY,
      what = "a record key that is not unique, and a batch that ends between the rows",
      outcome = "OB-312: quarantined, never dropped")
  @Test
  void aRecordKeyThatIsNotUniqueIsSeenAcrossBatches() {
    pipeline.send(topic, 0, List.of(ofCustomer(1)));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
    pipeline.send(topic, 0, List.of(ofCustomer(2), ofCustomer(3)));
    TargetReport rest = pipeline.landed();
    assertThat(rest.connectorReplay()).isZero();
    assertThat(rest.quarantined()).containsExactly(Map.entry(ErrorCode.KEY_NOT_UNIQUE, 2L));
    pipeline.send(topic, 0, List.of(ofCustomer(1)));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(1);
    pipeline.send(topic, 0, List.of(ofCustomer(2)));
    assertThat(pipeline.landed().quarantinedBefore()).isEqualTo(1);
  }

  /** The last record before the range may be any number of other rows of the statement away. */
  @Test
  void aStatementOfManyRowsIsSearchedToItsBeginning() {
    List<Event> rows = new ArrayList<>();
    rows.add(ofCustomer(1));
    for (int i = 0; i < 600; i++) {
      rows.add(
          Event.change(
              'c',
              95,
              9,
              "{\"customer\":%d}".formatted(100 + i),
              null,
              "{\"id\":7,\"customer\":5}"));
    }
    pipeline.send(topic, 0, rows);
    assertThat(pipeline.landed().rows()).isEqualTo(601);
    pipeline.send(topic, 0, List.of(ofCustomer(2)));
    assertThat(pipeline.landed().quarantined())
        .containsExactly(Map.entry(ErrorCode.KEY_NOT_UNIQUE, 1L));
  }

  private static Event ofCustomer(long id) {
    return Event.change(
        'c', 95, 9, "{\"customer\":5}", null, "{\"id\":%d,\"customer\":5}".formatted(id));
  }

  /** What only the state before has is part of the identity at once, not when it gets a column. */
  @Test
  void anUpdateThatTakesAColumnsLastValueIsStillKnownLater() {
    Event update =
        Event.change(
            'u',
            85,
            9,
            null,
            "{\"a\":1,\"b\":\"x\"}",
            "{\"a\":2,\"b\":null}",
            "3.6.1.Final",
            5L,
            1L);
    pipeline.send(topic, 0, List.of(unkeyed(84, "{\"a\":1}"), update));
    assertThat(pipeline.landed().rows()).isEqualTo(2);
    pipeline.send(topic, 0, List.of(unkeyed(86, "{\"a\":1,\"b\":\"y\"}"), update));
    TargetReport later = pipeline.landed();
    assertThat(later.rows()).isEqualTo(1);
    assertThat(later.connectorReplay()).isEqualTo(1);
  }

  private static Event unkeyed(long lsn, String row) {
    return Event.change('c', lsn, 9, null, null, row, "3.6.1.Final", 5L, 1L);
  }

  /** The order of a composite key's fields in the record says nothing. */
  @Test
  void aCompositeKeyIsTheSameInAnyOrder() {
    String row = "{\"a\":\"one\",\"b\":\"two\"}";
    Event first = Event.change('c', 90, 7, "{\"a\":\"one\",\"b\":\"two\"}", null, row);
    Event again = Event.change('c', 90, 7, "{\"b\":\"two\",\"a\":\"one\"}", null, row);
    pipeline.send(topic, 0, List.of(first));
    pipeline.send(topic, 1, List.of(again));
    assertThat(pipeline.landed().inBatch()).isEqualTo(1);
    pipeline.send(topic, 0, List.of(again));
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(1);
  }

  /** A setting raised after a restore makes restarted positions new. */
  @Fault(
      area = Area.SOURCE,
      what = "positions start again after a restore, source.epoch raised",
      outcome = "events at positions that were seen before are new")
  @Test
  void anotherSourceEpochIsAnotherIdentity() {
    pipeline.send(topic, 0, List.of(Event.create(60, 1, "a")));
    pipeline.landed();
    pipeline.restart(Map.of("source.epoch", "1"));
    pipeline.send(topic, 0, List.of(Event.create(60, 1, "a")));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
  }

  /** Case A11: partitions added between two batches are read from their beginning. */
  @Fault(
      area = Area.KAFKA,
      what = "partitions are added, and old events come again in them",
      outcome = "known wherever they come",
      cases = Case.A11)
  @Test
  void eventsMovedToANewPartitionAreStillKnown() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      events.add(Event.create(70 + i, i, "a"));
    }
    pipeline.send(topic, 0, events);
    pipeline.landed();
    Pipeline.growTopic(topic, 4);
    pipeline.send(topic, 3, events);
    pipeline.send(topic, 3, List.of(Event.create(500, 500, "new")));
    pipeline.restart();
    TargetReport grown = pipeline.landed();
    assertThat(grown.connectorReplay()).isEqualTo(100);
    assertThat(grown.rows()).isEqualTo(1);
  }

  private static Event twin(@Nullable Long order) {
    return Event.change('c', 80, 9, null, null, Event.row(1, "same"), "3.6.1.Final", 5L, order);
  }
}
