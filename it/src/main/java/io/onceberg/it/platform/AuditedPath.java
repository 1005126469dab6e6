package io.onceberg.it.platform;

import io.onceberg.it.stack.Deadline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.iceberg.data.Record;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * One audited database, its connector, its topics and its Iceberg tables on a platform, and what
 * must hold between them.
 */
public final class AuditedPath implements AutoCloseable {
  private static final Duration LONG = Duration.ofMinutes(2);

  private final Stack stack;
  private final String name;
  private final AuditedDatabase database;
  private final Connector connector;
  private final Tables tables;

  /**
   * Makes database, connector and topics, and lets the connector take its snapshot.
   *
   * @param name of all of it; lower case
   * @param connectorSettings beside the usual ones
   */
  public AuditedPath(
      Stack stack, String name, List<AuditedTable> audited, Map<String, String> connectorSettings)
      throws SQLException {
    this.stack = stack;
    this.name = name;
    database = new AuditedDatabase(stack, name, audited);
    connector = Connector.create(stack, name, settings(audited, connectorSettings));
    takeSnapshot();
    tables = new Tables(PlatformSettings.catalog(stack::outside), name);
  }

  private static Map<String, String> settings(
      List<AuditedTable> audited, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    String undivided =
        audited.stream()
            .filter(AuditedTable::isToldByOrder)
            .map(table -> ".*\\.public\\." + table.name())
            .collect(Collectors.joining(","));
    if (!undivided.isEmpty()) {
      settings.put("topic.creation.groups", "undivided");
      settings.put("topic.creation.undivided.include", undivided);
      settings.put("topic.creation.undivided.partitions", "1");
    }
    return settings;
  }

  /** Until the connector follows the log, and has stored that: it takes no second snapshot. */
  private void takeSnapshot() throws SQLException {
    awaitRecords(AuditedDatabase.INITIAL_ROWS);
    database.mark();
    awaitRecords(AuditedDatabase.INITIAL_ROWS + 1);
    connector.restart();
  }

  private void awaitRecords(int count) {
    if (!Deadline.in(LONG)
        .await(() -> database.tables().stream().allMatch(t -> records(t) >= count))) {
      throw new PlatformException(
          "not all of %s have %d records:%n%s"
              .formatted(topics(), count, stack.tail(Service.CONNECT)));
    }
  }

  public AuditedDatabase database() {
    return database;
  }

  public Connector connector() {
    return connector;
  }

  public Tables tables() {
    return tables;
  }

  /** The names of the topics, by table. */
  public List<String> topics() {
    return database.tables().stream().map(this::topic).toList();
  }

  /** Those of them that may have any number of partitions. */
  public List<String> divisibleTopics() {
    return database.tables().stream()
        .filter(table -> !table.isToldByOrder())
        .map(this::topic)
        .toList();
  }

  private String topic(AuditedTable table) {
    return name + ".public." + table.name();
  }

  /** The settings of a daemon that reads these topics. */
  public Map<String, String> daemonSettings() {
    Map<String, String> settings = new HashMap<>();
    settings.put(
        "kafka.bootstrap.servers", stack.inside(Client.DAEMON, Service.KAFKA).hostAndPort());
    settings.put("kafka.group.id", name);
    settings.put("topics", String.join(",", topics()));
    settings.put("target.namespace", name);
    settings.put("batch.max.wait.ms", "100");
    settings.put("retry.backoff.ms", "100");
    settings.put("retry.backoff.max.ms", "500");
    PlatformSettings.catalog(service -> stack.inside(Client.DAEMON, service))
        .forEach((key, value) -> settings.put("catalog." + key, value));
    for (AuditedTable table : database.tables()) {
      for (String setting : table.settings()) {
        int equals = setting.indexOf('=');
        settings.put(
            "table.%s.%s".formatted(table.name(), setting.substring(0, equals)),
            setting.substring(equals + 1));
      }
    }
    return settings;
  }

  /** How many records the topic of a table holds. */
  public long records(AuditedTable table) {
    return ends(table).values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many records of all topics no batch has committed yet. */
  public long lag() {
    long lag = 0;
    for (AuditedTable table : database.tables()) {
      long read = tables.offsets(table.name()).values().stream().mapToLong(Long::longValue).sum();
      lag += records(table) - read;
    }
    return lag;
  }

  private Map<String, Long> ends(AuditedTable table) {
    Map<String, Object> client =
        Map.of(
            "bootstrap.servers", stack.outside(Service.KAFKA).hostAndPort(),
            "request.timeout.ms", "10000",
            "default.api.timeout.ms", "20000");
    try (Admin admin = Admin.create(client)) {
      return ends(admin, topic(table));
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

  private static Map<String, Long> ends(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    admin
        .describeTopics(List.of(topic))
        .allTopicNames()
        .get(LONG.toSeconds(), TimeUnit.SECONDS)
        .values()
        .forEach(
            found ->
                found
                    .partitions()
                    .forEach(
                        p ->
                            asked.put(
                                new TopicPartition(topic, p.partition()), OffsetSpec.latest())));
    Map<String, Long> ends = new TreeMap<>();
    admin
        .listOffsets(asked)
        .all()
        .get(LONG.toSeconds(), TimeUnit.SECONDS)
        .forEach((partition, end) -> ends.put(partition.toString(), end.offset()));
    return ends;
  }

  /**
   * Makes one last change of each table and waits until these and all before them have come to the
   * Iceberg tables.
   *
   * @param check throws when there is no use in waiting
   * @return false when the time was up before
   */
  public boolean awaitDrained(Duration time, Runnable check) throws SQLException {
    long mark = database.mark();
    return Deadline.in(time)
        .await(
            () -> {
              check.run();
              return database.tables().stream().allMatch(table -> isDrained(table, mark));
            });
  }

  private boolean isDrained(AuditedTable table, long mark) {
    return isAtEnd(table) && tables.hasRow(table.name(), table.names().get(0), mark);
  }

  /** Whether the ledger of a target stands at the ends of its topic. */
  private boolean isAtEnd(AuditedTable table) {
    Map<String, Long> ends = new TreeMap<>(ends(table));
    ends.values().removeIf(end -> end == 0);
    Map<String, Long> ledger = new TreeMap<>(tables.offsets(table.name()));
    ledger.values().removeIf(next -> next == 0);
    return ledger.equals(ends)
        && tables.offsets(table.name() + "_keys").equals(tables.offsets(table.name()));
  }

  /**
   * Holds the tables of a target against what the database has recorded.
   *
   * @return what was found wrong; nothing when the target is whole
   */
  public TableCheck check(AuditedTable table) throws SQLException {
    Comparison rows = new Comparison();
    database.expected(table, rows::expect);
    tables.each(table.name(), row -> rows.find(text(table, row)));
    Set<String> identities = new HashSet<>();
    long[] keys = new long[1];
    tables.each(
        table.name() + "_keys",
        key -> {
          keys[0]++;
          identities.add(identity(key));
        });
    return new TableCheck(
        table.name(),
        rows.rows(),
        rows.missing(),
        rows.extra(),
        keys[0],
        identities.size(),
        tables.values(table.name() + "_quarantine", Record::toString).size(),
        filesTwice(table),
        isAtEnd(table),
        rows.examples());
  }

  /** Without the day on which it was loaded. */
  private static String identity(Record key) {
    return key.struct().fields().stream()
        .filter(field -> !field.name().equals("loaded_date"))
        .map(field -> String.valueOf(key.getField(field.name())))
        .collect(Collectors.joining("|"));
  }

  private List<String> filesTwice(AuditedTable table) {
    List<String> twice = new ArrayList<>();
    for (String each : List.of(table.name(), table.name() + "_keys")) {
      Map<String, Long> counts =
          tables.files(each).stream()
              .collect(Collectors.groupingBy(file -> file, Collectors.counting()));
      counts.forEach(
          (file, count) -> {
            if (count > 1) {
              twice.add(file);
            }
          });
    }
    return twice;
  }

  private static String text(AuditedTable table, Record row) {
    Record cdc = (Record) row.getField("_cdc");
    String op = String.valueOf(cdc.getField("op"));
    return AuditedDatabase.event(
        op,
        op.equals("r") ? "" : String.valueOf(cdc.getField("tx_id")),
        table.names().stream().map(column -> String.valueOf(row.getField(column))).toList());
  }

  @Override
  public void close() {
    tables.close();
    connector.close();
  }
}
