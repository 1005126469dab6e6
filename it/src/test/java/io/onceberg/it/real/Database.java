package io.onceberg.it.real;

import static org.awaitility.Awaitility.await;

import io.onceberg.it.stack.SharedStack;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;

/** A database of one test, and what capturing it needs. */
final class Database {
  private final String name;

  private Database(String name) {
    this.name = name;
  }

  static Database create(String prefix) {
    String name = SharedStack.uniqueName(prefix);
    SharedStack.postgres().createDatabase(name);
    return new Database(name);
  }

  String name() {
    return name;
  }

  Connection connect() throws SQLException {
    Connection connection = SharedStack.postgres().connect(name);
    try (Statement statement = connection.createStatement()) {
      statement.execute("set timezone to 'UTC'");
    }
    return connection;
  }

  /** Runs statements, each in a transaction of its own. */
  void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }

  /** All rows of a query as text; a null stays null. */
  List<List<String>> rows(String query) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          row.add(result.getString(i));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  /**
   * Capture's settings.
   *
   * @param prefix of the topics; also names the slot and the publication
   */
  Map<String, String> captureSettings(String prefix, Path directory, Map<String, String> more) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("kafka.bootstrap.servers", SharedStack.kafka().bootstrapServers());
    settings.put("capture.data.dir", directory.toString());
    settings.put("debezium.topic.prefix", prefix);
    settings.put("debezium.slot.name", prefix);
    settings.put("debezium.slot.retry.delay.ms", "500");
    settings.put("debezium.publication.name", prefix);
    settings.put("debezium.poll.interval.ms", "50");
    settings.put("debezium.database.hostname", "127.0.0.1");
    settings.put("debezium.database.port", String.valueOf(SharedStack.postgres().port()));
    settings.put("debezium.database.user", SharedStack.postgres().user());
    settings.put("debezium.database.password", SharedStack.postgres().password());
    settings.put("debezium.database.dbname", name);
    settings.putAll(more);
    return settings;
  }

  /** Waits until a topic's partitions have so many records together, while something is alive. */
  static void awaitRecords(String topic, long count, BooleanSupplier alive) {
    try (Admin admin = SharedStack.kafka().admin()) {
      await("records of " + topic)
          .atMost(Duration.ofSeconds(90))
          .pollInterval(Duration.ofMillis(50))
          .pollInSameThread()
          .failFast("what fills " + topic + " has ended", () -> !alive.getAsBoolean())
          .until(() -> records(admin, topic), found -> found >= count);
    }
  }

  static long records(Admin admin, String topic) throws Exception {
    if (!admin.listTopics().names().get().contains(topic)) {
      return 0;
    }
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (TopicDescription described :
        admin.describeTopics(List.of(topic)).allTopicNames().get().values()) {
      described
          .partitions()
          .forEach(p -> ends.put(new TopicPartition(topic, p.partition()), OffsetSpec.latest()));
    }
    return admin.listOffsets(ends).all().get().values().stream().mapToLong(o -> o.offset()).sum();
  }
}
