package io.onceberg.it.demo;

import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.LocalPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The demo's directory: settings, logs, warehouse, and the data of the stack while it runs. */
record DemoFiles(Path directory) {
  static final String GROUP = "onceberg-demo";
  static final String DATABASE = "postgres";

  Path daemonConfig() {
    return directory.resolve("onceberg.properties");
  }

  /** What is logged by the demo itself, which looks into the tables too. */
  Path ownLog() {
    return directory.resolve("logs").resolve("demo.log");
  }

  Path daemonLog() {
    return directory.resolve("logs").resolve("daemon.log");
  }

  Path captureConfig() {
    return directory.resolve("capture.properties");
  }

  Path captureLog() {
    return directory.resolve("logs").resolve("capture.log");
  }

  Path warehouse() {
    return directory.resolve("warehouse");
  }

  /** The daemon's settings: what a user would write, and no more. */
  void writeDaemonConfig(LocalKafka kafka) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("kafka.bootstrap.servers", kafka.bootstrapServers());
    settings.put("kafka.group.id", GROUP);
    settings.put(
        "topics", DemoTable.ALL.stream().map(DemoTable::topic).collect(Collectors.joining(",")));
    settings.put("target.namespace", DemoTable.NAMESPACE);
    settings.put("table.outbox.kind", "events");
    settings.put("table.outbox.key", "event_id");
    settings.put("table.page_views.partition.by", "days(seen_at)");
    settings.put("catalog.warehouse", warehouse().toString());
    write(daemonConfig(), settings);
  }

  /**
   * Capture's settings.
   *
   * @param flush how often it stores how far it has read the database; what it has sent since then
   *     comes again after a crash
   */
  void writeCaptureConfig(LocalPostgres postgres, LocalKafka kafka, Duration flush) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("kafka.bootstrap.servers", kafka.bootstrapServers());
    settings.put("capture.topic.partitions", "2");
    settings.put("capture.data.dir", directory.resolve("capture").toString());
    settings.put("debezium.topic.prefix", DemoTable.PREFIX);
    settings.put("debezium.database.hostname", "127.0.0.1");
    settings.put("debezium.database.port", String.valueOf(postgres.port()));
    settings.put("debezium.database.user", postgres.user());
    settings.put("debezium.database.password", postgres.password());
    settings.put("debezium.database.dbname", DATABASE);
    settings.put("debezium.schema.include.list", "public");
    settings.put("debezium.publication.autocreate.mode", "filtered");
    settings.put("debezium.slot.name", "onceberg_demo");
    settings.put("debezium.offset.flush.interval.ms", String.valueOf(flush.toMillis()));
    write(captureConfig(), settings);
  }

  private static void write(Path file, Map<String, String> settings) {
    String text =
        settings.entrySet().stream()
            .map(e -> e.getKey() + "=" + e.getValue().replace("\\", "\\\\"))
            .collect(Collectors.joining("\n", "", "\n"));
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
