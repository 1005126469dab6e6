package io.onceberg.it.bench;

import io.onceberg.it.stack.Deadline;
import io.onceberg.it.stack.OwnedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * The Iceberg sink for Kafka Connect in a standalone worker of its own: append only, two tasks,
 * DebeziumTransform, a commit every ten seconds, {@code -Xmx2g}; its tables lie in a Hadoop catalog
 * of its own.
 */
final class IcebergSink {
  static final String VERSION = "1.12.0";
  private static final TableIdentifier TABLE = TableIdentifier.of("bench", "orders");
  private static final String CONTROL_TOPIC = "control-iceberg";
  private static final String STARTED = "Sink task finished initialization and start";
  private static final String DIED = "Task threw an uncaught and unrecoverable exception";
  private static final Duration START = Duration.ofMinutes(3);
  private static final Duration STALL = Duration.ofMinutes(4);
  private static final int TASKS = 2;
  private static final String HEAP = "-Xmx2g";

  /**
   * What the sink did with a topic.
   *
   * @param log its commits
   * @param startMillis when its first task had started, milliseconds since the epoch
   * @param cpuMicrosPerRow processor time per row when warm, microseconds
   */
  record Run(CommitLog log, long startMillis, ProcessFigures figures, double cpuMicrosPerRow) {
    double steady() {
      return log.steady();
    }

    double toLastRow() {
      return log.toLastRow(startMillis);
    }
  }

  private final String classPath;
  private final Path home;
  private final String bootstrap;

  /**
   * @param classPath see {@link #classPath}
   * @param home an empty directory for warehouse, settings and log
   */
  IcebergSink(String classPath, Path home, String bootstrap) {
    this.classPath = classPath;
    this.home = home;
    this.bootstrap = bootstrap;
  }

  /** Asks Maven for the class path of the sink's POM; the first time it downloads some 150 MB. */
  static String classPath(Path pom, Path scratch) {
    return MavenClassPath.of(pom, List.of(), scratch, Duration.ofMinutes(10));
  }

  /** Runs the sink over a topic from its beginning until that many rows are committed. */
  Run run(String topic, EventFormat format, long rows) {
    createControlTopic();
    writeSettings(topic, format);
    OwnedProcess worker = start();
    try {
      worker.awaitOutput(STARTED, START);
      long startMillis = BenchClock.millis();
      CpuCourse cpu = new CpuCourse();
      CommitLog log = awaitRows(worker, rows, cpu);
      return new Run(log, startMillis, ProcessFigures.of(worker.pid()), cpu.microsPerRow());
    } finally {
      worker.close();
    }
  }

  private OwnedProcess start() {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            HEAP,
            "-Dlog4j2.configurationFile=" + home.resolve("log4j2.properties"),
            "org.apache.kafka.connect.cli.ConnectStandalone",
            home.resolve("worker.properties").toString(),
            home.resolve("sink.properties").toString());
    return OwnedProcess.start(
        "Iceberg sink", command, Map.of("CLASSPATH", classPath), home.resolve("sink.log"));
  }

  private CommitLog awaitRows(OwnedProcess worker, long rows, CpuCourse cpu) {
    try (HadoopCatalog catalog = new HadoopCatalog(new Configuration(), warehouse())) {
      CommitLog log = new CommitLog(List.of());
      Deadline stall = Deadline.in(STALL);
      while (log.rows() < rows) {
        failIfDead(worker, log);
        if (!stall.pause()) {
          throw dead(worker, log, "stands still");
        }
        CommitLog now = read(catalog);
        cpu.note(now.rows(), worker.pid());
        if (now.rows() > log.rows()) {
          stall = Deadline.in(STALL);
        }
        log = now;
      }
      return log;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void failIfDead(OwnedProcess worker, CommitLog log) {
    List<String> reasons = worker.output().lines().filter(line -> line.contains(DIED)).toList();
    if (!worker.alive() || !reasons.isEmpty()) {
      throw dead(worker, log, reasons.isEmpty() ? "ended" : reasons.get(0));
    }
  }

  private static BenchException dead(OwnedProcess worker, CommitLog log, String reason) {
    return new BenchException(
        "the Iceberg sink failed after %d rows: %s; its log is %s"
            .formatted(log.rows(), reason, worker.log()));
  }

  private static CommitLog read(HadoopCatalog catalog) {
    pause();
    if (!catalog.namespaceExists(Namespace.of("bench")) || !catalog.tableExists(TABLE)) {
      return new CommitLog(List.of());
    }
    Table table = catalog.loadTable(TABLE);
    return CommitLog.of(table);
  }

  /** Looking more often would take processor time from what is measured. */
  private static void pause() {
    try {
      Thread.sleep(500);
    } catch (InterruptedException e) {
      throw BenchException.interrupted(e);
    }
  }

  private String warehouse() {
    return home.resolve("warehouse").toUri().toString();
  }

  private void createControlTopic() {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      if (!admin.listTopics().names().get().contains(CONTROL_TOPIC)) {
        admin.createTopics(List.of(new NewTopic(CONTROL_TOPIC, 1, (short) 1))).all().get();
      }
    } catch (ExecutionException e) {
      throw new BenchException("cannot create topic " + CONTROL_TOPIC, e.getCause());
    } catch (InterruptedException e) {
      throw BenchException.interrupted(e);
    }
  }

  private void writeSettings(String topic, EventFormat format) {
    Map<String, String> converters = new LinkedHashMap<>();
    String schemas = Boolean.toString(format == EventFormat.JSON_SCHEMA);
    for (String side : List.of("key", "value")) {
      converters.put(side + ".converter", "org.apache.kafka.connect.json.JsonConverter");
      converters.put(side + ".converter.schemas.enable", schemas);
    }
    Map<String, String> worker = new LinkedHashMap<>(converters);
    worker.put("bootstrap.servers", bootstrap);
    worker.put("listeners", "http://127.0.0.1:" + freePort());
    worker.put("offset.storage.file.filename", home.resolve("offsets").toString());
    // an idle task looks at the control topic only when its offsets are due: shorter than the
    // default minute, so that the last commit is not held up by that
    worker.put("offset.flush.interval.ms", "5000");
    worker.put("plugin.discovery", "service_load");
    write("worker.properties", worker);

    Map<String, String> sink = new LinkedHashMap<>();
    sink.put("name", "iceberg-" + format.label());
    sink.put("connector.class", "org.apache.iceberg.connect.IcebergSinkConnector");
    sink.put("tasks.max", Integer.toString(TASKS));
    sink.put("topics", topic);
    sink.put("transforms", "debezium");
    sink.put("transforms.debezium.type", "org.apache.iceberg.connect.transforms.DebeziumTransform");
    sink.put("iceberg.tables", TABLE.toString());
    sink.put("iceberg.tables.auto-create-enabled", "true");
    sink.put("iceberg.tables.evolve-schema-enabled", "true");
    sink.put("iceberg.control.commit.interval-ms", "10000");
    sink.put("iceberg.control.topic", CONTROL_TOPIC);
    sink.put("iceberg.catalog.type", "hadoop");
    sink.put("iceberg.catalog.warehouse", warehouse());
    write("sink.properties", sink);

    Map<String, String> logging = new LinkedHashMap<>();
    logging.put("rootLogger.level", "info");
    logging.put("rootLogger.appenderRefs", "out");
    logging.put("rootLogger.appenderRef.out.ref", "out");
    logging.put("appender.out.type", "Console");
    logging.put("appender.out.name", "out");
    logging.put("appender.out.layout.type", "PatternLayout");
    logging.put("appender.out.layout.pattern", "%d{ISO8601} %-5p %c{1} %m%n");
    write("log4j2.properties", logging);
  }

  private void write(String file, Map<String, String> settings) {
    List<String> lines =
        settings.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.toCollection(ArrayList::new));
    try {
      Files.createDirectories(home);
      Files.write(home.resolve(file), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
