package io.onceberg.it.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.onceberg.ingest.ops.PlanLine;
import io.onceberg.it.faults.Tables;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.iceberg.data.Record;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** One database, its connector, its topics and its tables, on the shared platform. */
final class Scenario implements AutoCloseable {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int PARTITIONS = 2;

  private final Stack stack = SharedPlatform.stack();
  private final String name;
  private final AuditedDatabase database;
  private final Connector connector;
  private final Tables tables;

  Scenario(String prefix) throws SQLException {
    name = SharedPlatform.uniqueName(prefix);
    database = new AuditedDatabase(stack, name);
    connector = Connector.create(stack, name);
    takeSnapshot();
    tables = new Tables(PlatformSettings.catalog(stack::outside), name);
  }

  /** Until the connector follows the log, and has stored that: it takes no second snapshot. */
  private void takeSnapshot() throws SQLException {
    awaitRecords(AuditedDatabase.INITIAL_ROWS);
    database.mark();
    awaitRecords(AuditedDatabase.INITIAL_ROWS + 1);
    connector.restart();
  }

  private void awaitRecords(int count) {
    await(count + " records of each table")
        .atMost(LONG)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> AuditedDatabase.TABLES.keySet().stream().allMatch(t -> records(t) >= count));
  }

  AuditedDatabase database() {
    return database;
  }

  Connector connector() {
    return connector;
  }

  /** Starts the daemon of this scenario. */
  RunningDaemon startDaemon() {
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", stack.inside(Service.KAFKA).hostAndPort());
    settings.put("kafka.group.id", name);
    settings.put("topics", topic(AuditedDatabase.ORDERS) + "," + topic(AuditedDatabase.LINES));
    settings.put("target.namespace", name);
    settings.put("batch.max.wait.ms", "100");
    settings.put("retry.backoff.ms", "100");
    settings.put("retry.backoff.max.ms", "500");
    PlatformSettings.catalog(stack::inside)
        .forEach((key, value) -> settings.put("catalog." + key, value));
    return stack.daemon(name, settings);
  }

  private String topic(String table) {
    return name + ".public." + table;
  }

  /** How many records the topic of a table holds. */
  long records(String table) {
    return ends(table).values().stream().mapToLong(Long::longValue).sum();
  }

  private Map<String, Long> ends(String table) {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    for (int i = 0; i < PARTITIONS; i++) {
      asked.put(new TopicPartition(topic(table), i), OffsetSpec.latest());
    }
    Map<String, Object> client =
        Map.of("bootstrap.servers", stack.outside(Service.KAFKA).hostAndPort());
    try (Admin admin = Admin.create(client)) {
      Map<String, Long> ends = new TreeMap<>();
      admin
          .listOffsets(asked)
          .all()
          .get(LONG.toSeconds(), TimeUnit.SECONDS)
          .forEach((partition, end) -> ends.put(partition.toString(), end.offset()));
      return ends;
    } catch (ExecutionException | TimeoutException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return Map.of(); // the connector has not made it yet
      }
      throw new PlatformException("the broker does not say where the topics end", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PlatformException("interrupted", e);
    }
  }

  /**
   * Makes one last change, waits until it and all before it have come to the tables, and holds
   * these against what the database has recorded.
   */
  void assertWhole(RunningDaemon daemon) throws SQLException {
    String mark = database.mark();
    for (String table : AuditedDatabase.TABLES.keySet()) {
      await(mark + " in " + name + "." + table)
          .atMost(LONG)
          .pollInterval(Duration.ofMillis(200))
          .failFast(() -> assertThat(daemon.alive()).as(daemon::output).isTrue())
          .until(() -> isAtEnd(table) && rows(table).stream().anyMatch(r -> r.contains(mark)));
      assertThat(rows(table))
          .as("rows of " + table)
          .containsExactlyInAnyOrderElementsOf(database.expected(table));
      assertThat(identities(table))
          .as("keys of " + table)
          .doesNotHaveDuplicates()
          .hasSize(rows(table).size());
      assertThat(tables.values(table + "_quarantine", Record::toString)).isEmpty();
      for (String each : List.of(table, table + "_keys")) {
        assertThat(tables.files(each)).as("files of " + each).doesNotHaveDuplicates();
      }
      assertThat(isAtEnd(table)).as("ledger of " + table).isTrue();
    }
  }

  /** Whether a daemon's last plan of a target has not come to its tables. */
  boolean isBatchOpen(String output) {
    List<PlanLine> plans = output.lines().map(PlanLine::parse).flatMap(Optional::stream).toList();
    PlanLine last = plans.get(plans.size() - 1);
    Map<String, Long> ledger = tables.offsets(last.target().table());
    return last.ranges().stream()
        .anyMatch(r -> ledger.getOrDefault(r.partition().toString(), 0L) < r.until());
  }

  /** A daemon that is asked to ends within ten seconds and says that all is well. */
  static void assertEndsWell(RunningDaemon daemon) {
    assertThat(daemon.stop(Duration.ofSeconds(10))).as(daemon::output).isTrue();
    assertThat(daemon.exitStatus()).as(daemon::output).hasValue(0);
  }

  private boolean isAtEnd(String table) {
    Map<String, Long> ends = new TreeMap<>(ends(table));
    ends.values().removeIf(end -> end == 0);
    Map<String, Long> ledger = new TreeMap<>(tables.offsets(table));
    ledger.values().removeIf(next -> next == 0);
    return ledger.equals(ends) && tables.offsets(table + "_keys").equals(tables.offsets(table));
  }

  private List<String> rows(String table) {
    return tables.values(table, row -> text(table, row));
  }

  private static String text(String table, Record row) {
    Record cdc = (Record) row.getField("_cdc");
    String op = String.valueOf(cdc.getField("op"));
    return AuditedDatabase.event(
        op,
        op.equals("r") ? "" : String.valueOf(cdc.getField("tx_id")),
        AuditedDatabase.TABLES.getOrDefault(table, List.of()).stream()
            .map(column -> String.valueOf(row.getField(column)))
            .toList());
  }

  private List<String> identities(String table) {
    return tables.values(table + "_keys", Record::toString);
  }

  @Override
  public void close() {
    tables.close();
    connector.close();
  }
}
