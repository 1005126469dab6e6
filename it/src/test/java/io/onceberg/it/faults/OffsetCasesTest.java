package io.onceberg.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.loop.LoopEnd;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.platform.Tables;
import io.onceberg.it.stack.SharedStack;
import io.onceberg.keystore.TargetName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.Table;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Others change topics and tables, while the daemon runs and while it does not. */
class OffsetCasesTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir private Path home;
  private Shop shop;
  private Tables tables;
  private Map<String, String> catalog;
  private Map<String, String> settings;

  @BeforeEach
  void open() {
    catalog = Shop.jdbc(home);
    shop = new Shop(SharedStack.kafka());
    tables = new Tables(catalog);
    settings = shop.settings(catalog);
  }

  @AfterEach
  void close() {
    tables.close();
    shop.close();
  }

  private LocalDaemon start() {
    return new LocalDaemon(settings);
  }

  private void awaitCaughtUp(LocalDaemon daemon, String... targets) {
    Checks.awaitCaughtUp(shop, tables, daemon::check, targets);
  }

  /** Lets the daemon do some work first. */
  private LocalDaemon started() {
    shop.sell(20);
    LocalDaemon daemon = start();
    awaitCaughtUp(daemon, Shop.ORDERS, Shop.PAYMENTS);
    return daemon;
  }

  /** The orders are stopped by this error and stay where they were; payments go on. */
  private OncebergException assertOrdersStop(
      LocalDaemon daemon, ErrorCode code, Map<String, Long> offsets) {
    shop.sell(Shop.PAYMENTS, 5);
    awaitCaughtUp(daemon, Shop.PAYMENTS);
    LoopEnd end = daemon.end();
    assertThat(end.error()).isNull();
    assertThat(end.stopped()).containsOnlyKeys(TargetName.parse("shop.orders"));
    OncebergException error = end.worst().orElseThrow();
    assertThat(error.code()).isEqualTo(code);
    Map<String, Long> acknowledged = shop.groupOffsets();
    acknowledged.keySet().retainAll(offsets.keySet()); // Kafka forgets those of a deleted topic
    assertThat(offsets).containsAllEntriesOf(acknowledged);
    if (tables.has(Shop.ORDERS)) {
      assertThat(tables.offsets(Shop.ORDERS)).isEqualTo(offsets);
    }
    return error;
  }

  // ---- Topics

  /** Case A4: offsets of the old topic mean other records in the new one. */
  @Fault(
      area = Area.KAFKA,
      what = "a topic is deleted and made again",
      outcome = "OB-202, then OB-203: the target stops, its offsets stay; the others go on",
      cases = Case.A4)
  @Test
  void topicDeletedAndMadeAgain() {
    LocalDaemon daemon = started();
    Map<String, Long> offsets = tables.offsets(Shop.ORDERS);
    Shop.await(shop.admin().deleteTopics(List.of(shop.topic(Shop.ORDERS))).all());
    assertOrdersStop(daemon, ErrorCode.TOPIC_MISSING, offsets);

    await().atMost(LONG).ignoreExceptions().until(() -> made(Shop.ORDERS));
    shop.sell(Shop.ORDERS, 60);
    OncebergException error = assertOrdersStop(start(), ErrorCode.TOPIC_RECREATED, offsets);
    assertThat(error).hasMessageContaining("OB-203").hasMessageContaining(shop.topic(Shop.ORDERS));
  }

  private boolean made(String table) {
    shop.createTopic(table);
    return true;
  }

  /** Case A5: what was to be read next is gone. */
  @Fault(
      area = Area.KAFKA,
      what = "the log is truncated past the next offset",
      outcome = "OB-204 names the missing offsets; the target stops, the others go on",
      cases = Case.A5)
  @Test
  void retentionPassed() {
    started().end();
    Map<String, Long> offsets = tables.offsets(Shop.ORDERS);
    shop.sell(Shop.ORDERS, 20);
    TopicPartition partition = new TopicPartition(shop.topic(Shop.ORDERS), 0);
    long next = Objects.requireNonNull(offsets.get(partition.toString()));
    Shop.await(
        shop.admin()
            .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(next + 4)))
            .all());
    OncebergException error = assertOrdersStop(start(), ErrorCode.OFFSET_BELOW_RETENTION, offsets);
    assertThat(error)
        .hasMessageContaining(
            "%s: offsets [%d, %d) are missing".formatted(partition, next, next + 4));
  }

  // ---- Tables

  /** Case A10: someone drops a table while the daemon runs. */
  @Fault(
      area = Area.MAINTENANCE,
      what = "a table of a target is dropped while the daemon runs",
      outcome = "OB-402, the target stops, its offsets stay; the others go on",
      cases = {Case.A3, Case.A10})
  @Test
  void tableDropped() {
    LocalDaemon daemon = started();
    Map<String, Long> offsets = tables.offsets(Shop.ORDERS);
    tables.catalog().dropTable(Tables.name(Shop.ORDERS + "_keys"), false);
    shop.sell(Shop.ORDERS, 10);
    assertOrdersStop(daemon, ErrorCode.TABLE_MISSING, offsets);
    assertThat(tables.rows(Shop.ORDERS)).doesNotHaveDuplicates().hasSize(14);

    // nor does a new start make an empty one in its place
    assertOrdersStop(start(), ErrorCode.TABLE_MISSING, offsets);
    assertThat(tables.has(Shop.ORDERS + "_keys")).isFalse();
  }

  /** Case A10: someone drops a column while the daemon runs. */
  @Fault(
      area = Area.MAINTENANCE,
      what = "a column is dropped while the daemon runs",
      outcome = "OB-403, the target stops, its offsets stay; the others go on",
      cases = Case.A10)
  @Test
  void columnDropped() {
    LocalDaemon daemon = started();
    Map<String, Long> offsets = tables.offsets(Shop.ORDERS);
    tables.load(Shop.ORDERS).updateSchema().deleteColumn("name").commit();
    shop.sell(Shop.ORDERS, 10);
    OncebergException error = assertOrdersStop(daemon, ErrorCode.COLUMN_LOST, offsets);
    assertThat(error).hasMessageContaining("'name'");
  }

  /** Case A12, and others' maintenance between batches: no ledger is left but in the properties. */
  @Fault(
      area = Area.MAINTENANCE,
      what = "all tables compacted and every snapshot that carries a ledger expired",
      outcome = "the ledger is taken from the table property; nothing is read again",
      cases = Case.A12)
  @Test
  void compactedAndExpiredUntilNoSnapshotOfOursIsLeft() {
    try (LocalDaemon daemon = started()) {
      shop.sell(20);
      awaitCaughtUp(daemon, Shop.ORDERS, Shop.PAYMENTS);
      maintain();
      shop.replay();
      shop.sell(20);
      awaitCaughtUp(daemon, Shop.ORDERS, Shop.PAYMENTS);
      Checks.assertWhole(shop, tables, Shop.ORDERS);
    }
    long batch = tables.batch(Shop.ORDERS);
    maintain();
    assertThat(tables.offsets(Shop.ORDERS)).as("ledgers in snapshots").isEmpty();
    try (LocalDaemon daemon = start()) {
      shop.sell(Shop.ORDERS, 1);
      awaitCaughtUp(daemon, Shop.ORDERS, Shop.PAYMENTS);
      assertThat(tables.batch(Shop.ORDERS)).isEqualTo(batch + 1);
      assertThat(tables.load(Shop.ORDERS).currentSnapshot().summary())
          .as("only what is new is read and written")
          .containsEntry("added-records", "1");
      Checks.assertWhole(shop, tables, Shop.ORDERS);
    }
  }

  /** Rewrites the data files of the orders' tables and expires all but the last snapshot. */
  private void maintain() {
    SparkSession spark = SparkSession.active().newSession();
    String prefix = "spark.sql.catalog.onceberg.";
    catalog.forEach((key, value) -> spark.conf().set(prefix + key, value));
    for (String table : List.of(Shop.ORDERS, Shop.ORDERS + "_keys")) {
      spark
          .sql(
              "CALL onceberg.system.rewrite_data_files(table => 'shop.%s', options => map('rewrite-all','true'))"
                  .formatted(table))
          .collect();
      Table loaded = tables.load(table);
      loaded
          .expireSnapshots()
          .expireOlderThan(loaded.currentSnapshot().timestampMillis() + 1)
          .retainLast(1)
          .commit();
      assertThat(tables.load(table).snapshots()).hasSize(1);
    }
  }

  /** Both tables go back to an earlier batch while the daemon runs: it reads again from there. */
  @Fault(
      area = Area.MAINTENANCE,
      what = "the tables of a target are rolled back by hand while the daemon runs",
      outcome = "read again from the offsets of that batch; nothing lost, nothing twice",
      cases = Case.A6)
  @Test
  void rolledBackByHand() {
    try (LocalDaemon daemon = started()) {
      Map<String, Long> earlier = tables.offsets(Shop.ORDERS);
      long rows = tables.load(Shop.ORDERS).currentSnapshot().snapshotId();
      long keys = tables.load(Shop.ORDERS + "_keys").currentSnapshot().snapshotId();
      shop.sell(20);
      awaitCaughtUp(daemon, Shop.ORDERS, Shop.PAYMENTS);

      tables.load(Shop.ORDERS).manageSnapshots().rollbackTo(rows).commit();
      tables.load(Shop.ORDERS + "_keys").manageSnapshots().rollbackTo(keys).commit();
      assertThat(tables.offsets(Shop.ORDERS)).isEqualTo(earlier);
      shop.sell(10);
      awaitCaughtUp(daemon, Shop.ORDERS, Shop.PAYMENTS);
      Checks.assertWhole(shop, tables, Shop.ORDERS);
      Checks.assertWhole(shop, tables, Shop.PAYMENTS);
      assertThat(daemon.end().worst()).isEmpty();
    }
  }
}
