package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.ingest.sink.TargetResult;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code onceberg keys rebuild} of a changelog: the same keys, whatever had become of them. */
class KeyRebuildTest extends OrdersTopic {
  private static final String SNAPSHOTS =
      "SELECT snapshot_id FROM shop.orders_keys.snapshots ORDER BY committed_at";

  KeyRebuildTest() {
    super(2);
  }

  private String rebuild() {
    return pipeline.command("keys", "rebuild", "--table", "orders");
  }

  private List<String> keys() {
    return pipeline.spark().sql("SELECT * FROM shop.orders_keys").toJSON().collectAsList().stream()
        .sorted()
        .toList();
  }

  private static List<Event> creates(int from, int until) {
    return IntStream.range(from, until).mapToObj(i -> Event.create(100 + i, i, "a")).toList();
  }

  private static Event unkeyed(long lsn, String name, long ordinal) {
    return Event.change('c', lsn, 9, null, null, Event.row(1, name), "3.6.1.Final", 5L, ordinal);
  }

  /** Three batches on three days, with every kind of change. */
  private List<Event> load() {
    pipeline.restart(Map.of("table.orders.twins", "collapse"));
    List<Event> all = new ArrayList<>();
    for (int batch = 0; batch < 3; batch++) {
      pipeline.now(Pipeline.NOON.plus(Duration.ofDays(batch)));
      long lsn = 1_000L * (batch + 1);
      List<Event> events = new ArrayList<>(creates(20 * batch, 20 * batch + 20));
      events.add(Event.update(lsn, 1, "u"));
      events.add(Event.delete(lsn + 1, 2));
      events.add(Event.create(lsn + 1, 3, "key changed"));
      events.add(Event.snapshot(5, 1_000 + batch, "r"));
      events.add(Event.snapshot(6, 1_000 + batch, "other"));
      events.add(unkeyed(lsn + 2, "twin", 1));
      events.add(unkeyed(lsn + 2, "twin", 2));
      events.add(Event.change('r', 7, 0, null, null, Event.row(batch, "no key")));
      events.add(Event.change('t', lsn + 3, 9, null, null, null));
      events.add(Event.change('c', -lsn, 9, Event.key(4), null, Event.row(4, "beyond 2^63")));
      all.addAll(events);
      pipeline.send(topic, 0, events);
      assertThat(pipeline.landed().rows()).isEqualTo(events.size());
    }
    return all;
  }

  private void checkReplay(List<Event> all) {
    pipeline.send(topic, 1, all);
    TargetReport again = pipeline.landed();
    assertThat(again.rows()).isZero();
    assertThat(again.connectorReplay() + again.snapshotOverlap()).isEqualTo(all.size());
  }

  /** Ways to lose keys. */
  enum Loss {
    NONE,
    SOME_DELETED {
      @Override
      void of(KeyRebuildTest test) {
        test.pipeline.sql("DELETE FROM shop.orders_keys WHERE lsn % 2 = 0");
      }
    },
    ROW_DELETES {
      @Override
      void of(KeyRebuildTest test) {
        test.pipeline.sql(
            "ALTER TABLE shop.orders_keys SET TBLPROPERTIES ('write.delete.mode'='merge-on-read')");
        test.pipeline.sql("DELETE FROM shop.orders_keys WHERE lsn % 2 = 0");
      }
    },
    ALL_DELETED {
      @Override
      void of(KeyRebuildTest test) {
        test.pipeline.sql("DELETE FROM shop.orders_keys");
      }
    },
    ROLLED_BACK {
      @Override
      void of(KeyRebuildTest test) {
        long first = test.pipeline.sql(SNAPSHOTS).get(0).getLong(0);
        test.pipeline.sql(
            "CALL onceberg.system.rollback_to_snapshot('shop.orders_keys', %d)".formatted(first));
      }
    },
    FILES_GONE {
      @Override
      void of(KeyRebuildTest test) {
        delete(test.directory.resolve("shop/orders_keys/data"));
      }
    },
    DROPPED {
      @Override
      void of(KeyRebuildTest test) {
        test.pipeline.sql("DROP TABLE shop.orders_keys PURGE");
      }
    };

    void of(KeyRebuildTest test) {}
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> parquet = files.filter(f -> f.toString().endsWith(".parquet")).toList();
      assertThat(parquet).isNotEmpty();
      for (Path file : parquet) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "the keys table is lost or damaged; onceberg keys rebuild",
      outcome = "the same keys again; replays are known as before")
  @ParameterizedTest(name = "{0}")
  @EnumSource
  void bringsBackTheSameKeys(Loss loss) {
    List<Event> all = load();
    List<String> before = keys();
    loss.of(this);
    String said = rebuild();
    assertThat(said).contains("shop.orders: 90 keys in 6 files, ");
    assertThat(keys()).isEqualTo(before);
    pipeline.restart();
    checkReplay(all);
    assertThat(keys()).isEqualTo(before);
    pipeline.send(topic, 0, creates(500, 510));
    assertThat(pipeline.landed().rows()).isEqualTo(10);
  }

  /** The settings say what the identities of some rows are made of. */
  @Test
  void goesByThePoliciesOfTheTarget() {
    pipeline.restart(Map.of("table.orders.twins", "keep", "table.orders.snapshot", "keep-each"));
    List<Event> events =
        List.of(
            Event.change('c', 80, 9, null, null, Event.row(1, "twin")),
            Event.change('c', 80, 9, null, null, Event.row(1, "twin")),
            Event.snapshot(5, 1, "r"),
            Event.snapshot(6, 1, "r"),
            Event.create(7, 2, "x"));
    pipeline.send(topic, 1, events);
    assertThat(pipeline.landed().rows()).isEqualTo(5);
    List<String> before = keys();
    pipeline.sql("DELETE FROM shop.orders_keys");
    rebuild();
    assertThat(keys()).isEqualTo(before).hasSize(5);
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "onceberg keys rebuild while a batch is at work",
      outcome = "the batch is fenced and built again")
  @Test
  void aBatchInWorkIsDoneAgain() {
    pipeline.restart(Map.of("value.converter", InterruptedConverter.class.getName()));
    pipeline.send(topic, 0, creates(0, 20));
    pipeline.landed();
    pipeline.sql("DELETE FROM shop.orders_keys");
    pipeline.send(topic, 0, creates(10, 30));
    InterruptedConverter.meanwhile(this::rebuild);
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).as("by the old keys, of which there were none, 20").isEqualTo(10);
    assertThat(report.connectorReplay()).isEqualTo(10);
    assertThat(keys()).hasSize(30).doesNotHaveDuplicates();
  }

  /**
   * Batches of new and replayed events one after the other, and rebuilds beside them: the next one
   * when two batches have landed, for without a pause they would fence every batch.
   */
  @Fault(
      area = Area.MAINTENANCE,
      what = "onceberg keys rebuild beside batches of new and replayed events")
  @Test
  void ingestGoesOnMeanwhile() throws Exception {
    pipeline.send(topic, 0, creates(0, 30));
    assertThat(pipeline.landed().rows()).isEqualTo(30);
    Semaphore landed = new Semaphore(0);
    CompletableFuture<Long> ingest = CompletableFuture.supplyAsync(() -> ingest(landed));
    for (int rebuild = 0; rebuild < 7; rebuild++) {
      assertThat(rebuild()).contains(" keys in ");
      assertThat(landed.tryAcquire(2, 2, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(ingest.join()).isEqualTo(14 * 30);
    assertThat(pipeline.count("orders")).isEqualTo(450);
    assertThat(keys()).hasSize(450).doesNotHaveDuplicates();
    rebuild();
    assertThat(keys()).hasSize(450).doesNotHaveDuplicates();
  }

  /** Gives how many rows have landed. */
  private long ingest(Semaphore landed) {
    long rows = 0;
    for (int batch = 1; batch < 15; batch++) {
      pipeline.send(topic, 0, creates(30 * batch - 15, 30 * batch + 30));
      rows += landedAtLast().rows();
      landed.release();
    }
    return rows;
  }

  private TargetReport landedAtLast() {
    while (true) {
      TargetResult result = pipeline.batch().get(0);
      if (result instanceof TargetResult.Landed landed) {
        return landed.report();
      }
      assertThat(((TargetResult.Failed) result).error().code()).isEqualTo(ErrorCode.FENCED);
    }
  }

  /** The snapshot says whose ledger it carries, and is no batch of its own. */
  @Test
  void theLedgerStaysWhatItWas() {
    List<Event> all = load();
    String last = "SELECT summary['onceberg.batch-id'], summary['onceberg.offsets'],";
    Row batch = lastSnapshot(last);
    rebuild();
    Row rebuilt = lastSnapshot(last);
    assertThat(rebuilt.getString(0)).isEqualTo(batch.getString(0));
    assertThat(rebuilt.getString(1)).isEqualTo(batch.getString(1));
    assertThat(rebuilt.getString(2)).isEqualTo("overwrite");
    assertThat(rebuilt.getString(3)).isEqualTo("true");
    pipeline.restart();
    assertThat(pipeline.batch()).as("nothing is read again").isEmpty();
    // the property counts once no snapshot of a batch is left
    pipeline.sql("CALL onceberg.system.rewrite_manifests('shop.orders_keys')");
    pipeline.sql(
        "CALL onceberg.system.expire_snapshots(table => 'shop.orders_keys', older_than => TIMESTAMP"
            + " '2100-01-01 00:00:00', retain_last => 1)");
    pipeline.restart();
    checkReplay(all);
  }

  private Row lastSnapshot(String columns) {
    return pipeline
        .sql(
            columns
                + " operation, summary['onceberg.keys-rebuilt'] FROM shop.orders_keys.snapshots"
                + " ORDER BY committed_at DESC LIMIT 1")
        .get(0);
  }

  /** Keys that were dropped for their age come back, and nothing is looked for in the rows then. */
  @Test
  void bringsBackWhatRetentionHasDropped() {
    Instant today = InstantSource.system().instant();
    Instant then = today.minus(Duration.ofDays(30));
    pipeline.restart(Map.of("keys.retention", "10d"));
    pipeline.now(then);
    List<Event> old = creates(0, 20).stream().map(event -> event.madeAt(then)).toList();
    pipeline.send(topic, 0, old);
    pipeline.landed();
    List<String> first = keys();
    pipeline.now(today);
    pipeline.send(topic, 0, List.of(Event.create(900, 900, "a").madeAt(today)));
    pipeline.landed();
    assertThat(keys()).hasSize(1);
    assertThat(rebuild())
        .contains("shop.orders: 1 keys in 1 files")
        .contains("have no keys by keys.retention");
    pipeline.send(topic, 1, old);
    assertThat(pipeline.landed().checkedBeyondHorizon()).isEqualTo(20);

    pipeline.restart(Map.of("keys.retention", "1000d"));
    assertThat(rebuild()).contains("shop.orders: 21 keys in 2 files").doesNotContain("retention");
    assertThat(keys()).hasSize(21).containsAll(first);
    pipeline.send(topic, 1, old);
    TargetReport replay = pipeline.landed();
    assertThat(replay.connectorReplay()).isEqualTo(20);
    assertThat(replay.checkedBeyondHorizon()).isZero();
    assertThat(pipeline.command("keys", "stats", "--table", "orders")).doesNotContain("dropped");

    pipeline.restart(Map.of("keys.retention", "10d"));
    pipeline.send(topic, 0, List.of(Event.create(901, 901, "a").madeAt(today)));
    pipeline.landed();
    assertThat(keys()).as("dropped again by the next batch of a new daemon").hasSize(2);
  }

  /** Rows that landed twice, for someone had taken their keys away, and rows of other writers. */
  @Test
  void saysWhichRowsShareAnIdentity() {
    load();
    List<String> before = keys();
    pipeline.sql("DELETE FROM shop.orders_keys WHERE lsn < 103");
    pipeline.now(Pipeline.NOON.plus(Duration.ofDays(9)));
    pipeline.send(topic, 1, creates(0, 3));
    assertThat(pipeline.landed().rows()).isEqualTo(3);
    pipeline.sql(
        "INSERT INTO shop.orders SELECT id, name, NULL, loaded_date FROM shop.orders LIMIT 1");
    Pipeline.Said said = pipeline.say("keys", "rebuild", "--table", "orders");
    assertThat(said.status()).isEqualTo(1);
    assertThat(said.out())
        .contains("shop.orders: 90 keys in ")
        .contains("shop.orders: 3 rows have the identity of another row")
        .containsPattern("for example the row loaded on \\S+ from partition [01], offset \\d")
        .contains("shop.orders: 1 rows were made by other writers");
    assertThat(keys()).hasSameSizeAs(before).doesNotHaveDuplicates();
  }

  @Test
  void isRefusedForWhatIsNoTargetOrAnotherKind() {
    load();
    List<String> before = keys();
    Pipeline.Said unknown = pipeline.say("keys", "rebuild", "--table", "odrers");
    assertThat(unknown.status()).isEqualTo(11);
    assertThat(unknown.err()).startsWith("error OB-106 TARGET_UNKNOWN: ");
    pipeline.restart(Map.of("table.orders.kind", "events", "table.orders.key", "id"));
    Pipeline.Said other = pipeline.say("keys", "rebuild", "--table", "orders");
    assertThat(other.status()).isEqualTo(14);
    assertThat(other.err()).startsWith("error OB-409 IDENTITY_VERSION: ");
    assertThat(keys()).isEqualTo(before);
  }
}
