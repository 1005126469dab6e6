package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Keys of ten days only: what could only match older ones is looked for in the table itself. Day 0
 * is that of {@link Pipeline#NOON}; events are made when they are sent unless a test says
 * otherwise.
 */
class KeyRetentionTest extends OrdersTopic {
  private static final int RETENTION_DAYS = 10;

  private Instant now = Pipeline.NOON;

  KeyRetentionTest() {
    super(2);
  }

  @BeforeEach
  void keepTenDays() {
    pipeline.restart(Map.of("keys.retention", RETENTION_DAYS + "d"));
  }

  /** Goes to noon of a day. */
  private void day(int day) {
    now = Pipeline.NOON.plus(Duration.ofDays(day));
    pipeline.now(now);
  }

  /** These events as made now. */
  private List<Event> made(List<Event> events) {
    return events.stream().map(event -> event.madeAt(now)).toList();
  }

  private TargetReport land(List<Event> events) {
    pipeline.send(topic, 0, events);
    return pipeline.landed();
  }

  private static List<Event> creates(int from, int until) {
    return IntStream.range(from, until).mapToObj(i -> Event.create(100 + i, i, "a")).toList();
  }

  /** Twenty events of day 0, whose keys are dropped on day 12. */
  private List<Event> loadAndDrop(List<Event> old) {
    List<Event> events = made(old);
    assertThat(land(events).rows()).isEqualTo(old.size());
    day(12);
    assertThat(land(made(creates(9_000, 9_001))).rows()).isEqualTo(1);
    assertThat(days()).containsExactly("2026-03-26");
    return events;
  }

  private List<String> days() {
    return pipeline
        .sql("SELECT DISTINCT CAST(loaded_date AS STRING) FROM shop.orders_keys ORDER BY 1")
        .stream()
        .map(row -> row.getString(0))
        .toList();
  }

  @Test
  void wholeDaysAreDroppedWithinTheCommitOfABatch() {
    List<Event> all = new ArrayList<>();
    for (int day : new int[] {0, 1, 2, 5, 11}) {
      day(day);
      List<Event> events = made(creates(10 * day, 10 * day + 10));
      assertThat(land(events).checkedBeyondHorizon()).isZero();
      all.addAll(events);
    }
    assertThat(days()).containsExactly("2026-03-15", "2026-03-16", "2026-03-19", "2026-03-25");
    assertThat(pipeline.count("orders")).isEqualTo(50);
    List<Row> snapshots =
        pipeline.sql("SELECT operation FROM shop.orders_keys.snapshots ORDER BY committed_at");
    assertThat(snapshots).extracting(row -> row.getString(0)).endsWith("delete", "append");
    // no key is older: nothing more happens on that day, nor on the next before a batch
    pipeline.restart();
    day(12);
    assertThat(land(all).connectorReplay()).isEqualTo(50);
    assertThat(days()).first().isEqualTo("2026-03-16");
    assertThat(pipeline.command("keys", "stats", "--table", "orders"))
        .contains("  horizon        2026-03-16")
        .contains("  dropped        keys loaded before 2026-03-16");
    assertThat(pipeline.count("orders")).isEqualTo(50);
  }

  @Fault(
      area = Area.SOURCE,
      what = "an event older than the key horizon comes again",
      outcome = "compared with the rows themselves, removed and counted",
      cases = Case.B14)
  @Test
  void aReplayFromBeyondTheHorizonIsRemovedAndCounted() {
    List<Event> old = loadAndDrop(creates(0, 20));
    pipeline.send(topic, 1, old);
    TargetReport replay = pipeline.landed();
    assertThat(replay.rows()).isZero();
    assertThat(replay.connectorReplay()).isEqualTo(20);
    assertThat(replay.checkedBeyondHorizon()).isEqualTo(20);
    assertThat(pipeline.count("orders")).isEqualTo(21);
  }

  /** A replay does not hide what is new: other LSN, transaction, operation or key. */
  @Fault(
      area = Area.SOURCE,
      what = "a new event with a time beyond the key horizon",
      outcome = "lands",
      cases = Case.B14)
  @Test
  void newEventsOfAnOldTimeLand() {
    loadAndDrop(creates(0, 20));
    Instant then = Pipeline.NOON;
    List<Event> late =
        List.of(
            Event.create(100, 500, "another key").madeAt(then),
            Event.change('c', 100, 8, Event.key(0), null, Event.row(0, "a")).madeAt(then),
            Event.update(100, 0, "a").madeAt(then),
            Event.delete(110, 10).madeAt(then),
            Event.create(55, 1, "before all").madeAt(then),
            Event.create(100, 0, "a").madeAt(then));
    TargetReport report = land(late);
    assertThat(report.rows()).isEqualTo(5);
    assertThat(report.connectorReplay()).isEqualTo(1);
    assertThat(report.checkedBeyondHorizon()).isEqualTo(6);
    TargetReport again = land(late);
    assertThat(again.connectorReplay()).isEqualTo(6);
    assertThat(again.checkedBeyondHorizon()).as("the others have keys again").isEqualTo(1);
  }

  @Test
  void onlyWhatMayHaveLandedBeforeIsLookedFor() {
    loadAndDrop(creates(0, 20));
    Instant horizon = Instant.parse("2026-03-16T00:00:00Z");
    Instant margin = horizon.plus(Duration.ofDays(1));
    TargetReport report =
        land(
            List.of(
                Event.create(501, 1, "x").madeAt(margin),
                Event.create(502, 2, "x").madeAt(now),
                Event.create(503, 3, "x").madeAt(margin.minusMillis(1)),
                Event.create(504, 4, "x").madeAtNoTime(),
                Event.create(505, 5, "x").madeAt(now.plus(Duration.ofDays(3))),
                Event.create(506, 6, "x").madeAt(Instant.EPOCH)));
    assertThat(report.rows()).isEqualTo(6);
    assertThat(report.checkedBeyondHorizon()).as("too old, or no time to go by").isEqualTo(4);
  }

  /** An unchanged row of a later snapshot has another time and LSN, and the same identity. */
  @Test
  void snapshotRowsAreAlwaysLookedFor() {
    loadAndDrop(List.of(Event.snapshot(7, 1, "a"), Event.snapshot(7, 2, "b")));
    TargetReport later =
        land(made(List.of(Event.snapshot(70, 1, "a"), Event.snapshot(70, 2, "changed"))));
    assertThat(later.snapshotOverlap()).isEqualTo(1);
    assertThat(later.rows()).isEqualTo(1);
    assertThat(later.checkedBeyondHorizon()).isEqualTo(2);
  }

  @Test
  void rowsOfATableWithoutAKeyAreKnownByContentAndOrdinal() {
    List<Event> old =
        loadAndDrop(
            List.of(unkeyed(80, "x", 1), unkeyed(80, "x", 2), unkeyed(80, "y", 3), truncate(81)));
    List<Event> more = new ArrayList<>(old);
    more.add(unkeyed(80, "x", 4).madeAt(Pipeline.NOON));
    more.add(unkeyed(80, "z", 1).madeAt(Pipeline.NOON));
    TargetReport report = land(more);
    assertThat(report.connectorReplay()).isEqualTo(4);
    assertThat(report.rows()).isEqualTo(2);
  }

  private static Event unkeyed(long lsn, String name, long ordinal) {
    return Event.change('c', lsn, 9, null, null, Event.row(1, name), "3.6.1.Final", 5L, ordinal);
  }

  private static Event truncate(long lsn) {
    return Event.change('t', lsn, 9, null, null, null);
  }

  @Test
  void anotherEpochIsAnotherIdentity() {
    List<Event> old = loadAndDrop(creates(0, 3));
    pipeline.restart(Map.of("source.epoch", "1"));
    TargetReport report = land(old);
    assertThat(report.rows()).isEqualTo(3);
    assertThat(report.checkedBeyondHorizon()).isEqualTo(3);
    assertThat(land(old).connectorReplay()).isEqualTo(3);
  }

  /** What the user has taken out of the table is not there to be compared with. */
  @Test
  void deletedRowsLandAgain() {
    List<Event> old = loadAndDrop(creates(0, 20));
    pipeline.sql("ALTER TABLE shop.orders SET TBLPROPERTIES ('write.delete.mode'='merge-on-read')");
    pipeline.sql("DELETE FROM shop.orders WHERE id < 5");
    TargetReport report = land(old);
    assertThat(report.rows()).isEqualTo(5);
    assertThat(report.connectorReplay()).isEqualTo(15);
  }

  /** Files that hold rows of several days, dropped and kept ones. */
  @Test
  void aTableThatWasCompactedIsSearchedAllTheSame() {
    List<Event> old = loadAndDrop(creates(0, 20));
    pipeline.sql(
        "CALL onceberg.system.rewrite_data_files(table => 'shop.orders',"
            + " options => map('rewrite-all','true'))");
    assertThat(pipeline.sql("SELECT * FROM shop.orders.files")).hasSize(1);
    TargetReport report = land(old);
    assertThat(report.rows()).isZero();
    assertThat(report.connectorReplay()).isEqualTo(20);
    // the row of day 12 has a key; in the file of all days it must not count as beyond
    TargetReport young = land(List.of(Event.create(9_100, 9_000, "a").madeAt(Pipeline.NOON)));
    assertThat(young.connectorReplay()).isEqualTo(1);
    assertThat(young.checkedBeyondHorizon()).isZero();
  }

  /** The first day with a retention drops what gathered before; raising it brings nothing back. */
  @Test
  void aRetentionThatIsRaisedGoesOnLookingIntoTheTable() {
    List<Event> old = loadAndDrop(creates(0, 20));
    pipeline.restart(Map.of("keys.retention", "1000d"));
    TargetReport report = land(old);
    assertThat(report.connectorReplay()).isEqualTo(20);
    assertThat(report.checkedBeyondHorizon()).isEqualTo(20);
  }

  @Test
  void conflictsBeyondTheHorizonAreNotOfThisKind() {
    List<Event> old = loadAndDrop(creates(0, 2));
    TargetReport report = land(List.of(Event.create(100, 0, "changed").madeAt(Pipeline.NOON)));
    assertThat(report.connectorReplay()).as("position and key say what a change is").isEqualTo(1);
    assertThat(report.quarantined()).doesNotContainKey(ErrorCode.EVENT_CONFLICT);
    assertThat(old).hasSize(2);
  }
}
