package io.onceberg.it.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.onceberg.it.stack.ChildJvm;
import io.onceberg.it.stack.Deadline;
import io.onceberg.it.stack.OwnedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.jdbc.JdbcCatalog;

/** Our daemon in a JVM of its own, over one topic and with an empty warehouse to begin with. */
final class Daemon implements AutoCloseable {
  private static final String MAIN = "io.onceberg.ingest.cli.Main";
  private static final String HEAP = "-Xmx2g";
  private static final Duration STALL = Duration.ofMinutes(3);
  private static final int HEAP_LOOKS = 4;
  private static final TableIdentifier TABLE = TableIdentifier.of("bench", "orders");
  private static final Pattern USED = Pattern.compile(" total +\\d+K, used (\\d+)K");

  /**
   * How the daemon is run.
   *
   * @param home an empty directory for settings, warehouse, log and recording
   * @param settings further settings of the daemon
   * @param plainAppend without deduplication: what is read is appended
   * @param profile whether Java Flight Recorder runs along
   */
  record Launch(
      Path home,
      String bootstrap,
      String topic,
      EventFormat format,
      String registryUrl,
      Map<String, String> settings,
      boolean plainAppend,
      boolean profile) {
    Launch {
      settings = Map.copyOf(settings);
    }

    Path recording() {
      return home.resolve("daemon.jfr");
    }
  }

  private final Launch launch;
  private final OwnedProcess process;
  private final DaemonLog log;
  private final CpuCourse cpu = new CpuCourse();

  private Daemon(Launch launch, OwnedProcess process) {
    this.launch = launch;
    this.process = process;
    this.log = new DaemonLog(process.log());
  }

  static Daemon start(Launch launch) {
    Path settings = writeSettings(launch);
    List<String> options = new ArrayList<>(List.of(HEAP));
    options.addAll(ChildJvm.collector());
    if (launch.plainAppend()) {
      options.add("-Donceberg.bench.plain-append=true");
    }
    if (launch.profile()) {
      options.add(
          "-XX:StartFlightRecording=settings=profile,dumponexit=true,filename="
              + launch.recording());
    }
    OwnedProcess process =
        ChildJvm.start(
            "the daemon",
            MAIN,
            options,
            List.of("run", "--config", settings.toString()),
            launch.home().resolve("daemon.log"));
    return new Daemon(launch, process);
  }

  private static Path writeSettings(Launch launch) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("kafka.bootstrap.servers", launch.bootstrap());
    settings.put("kafka.group.id", "onceberg-" + launch.home().getFileName());
    settings.put("topics", launch.topic());
    settings.put("target.namespace", TABLE.namespace().toString());
    settings.putAll(converters(launch.format(), launch.registryUrl()));
    catalog(launch.home()).forEach((name, value) -> settings.put("catalog." + name, value));
    settings.putAll(launch.settings());
    List<String> lines =
        settings.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
    try {
      Files.createDirectories(launch.home().resolve("warehouse"));
      return Files.write(launch.home().resolve("onceberg.properties"), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, String> converters(EventFormat format, String registryUrl) {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String side : List.of("key.converter", "value.converter")) {
      if (format == EventFormat.AVRO) {
        settings.put(side, "io.confluent.connect.avro.AvroConverter");
        settings.put(side + ".schema.registry.url", registryUrl);
      } else {
        settings.put(side, "org.apache.kafka.connect.json.JsonConverter");
        boolean schemas = format == EventFormat.JSON_SCHEMA;
        settings.put(side + ".schemas.enable", Boolean.toString(schemas));
      }
    }
    return settings;
  }

  private static Map<String, String> catalog(Path home) {
    return Map.of(
        "type",
        "jdbc",
        "uri",
        "jdbc:sqlite:" + home.resolve("warehouse/catalog.db"),
        "warehouse",
        home.resolve("warehouse").toString());
  }

  /** Waits until that many records have been committed, all batches together. */
  void awaitRead(long records) {
    long seen = log.read();
    Deadline stall = Deadline.in(STALL);
    while (log.read() < records) {
      if (!process.alive() || !stall.pause()) {
        throw new BenchException(
            "the daemon got to %d of %d records; its log %s ends:%n%s"
                .formatted(log.read(), records, process.log(), process.tail()));
      }
      log.refresh();
      cpu.note(log.read(), process.pid());
      if (log.read() > seen) {
        seen = log.read();
        stall = Deadline.in(STALL);
      }
    }
  }

  /** Waits until that many batches have been committed, or that many records. */
  void awaitBatches(int batches, long records) {
    while (log.batches().size() < batches && log.read() < records) {
      awaitRead(log.read() + 1);
    }
  }

  DaemonLog log() {
    return log;
  }

  /** Processor time per record when warm, microseconds. */
  double cpuMicrosPerRow() {
    return cpu.microsPerRow();
  }

  ProcessFigures figures() {
    return ProcessFigures.of(process.pid());
  }

  /**
   * Heap in use after a full collection, which this asks for; megabytes. The daemon goes on working
   * meanwhile, so the least of a few looks is nearest to what is really held.
   */
  long heapAfterCollectionMegabytes() {
    long least = Long.MAX_VALUE;
    for (int look = 0; look < HEAP_LOOKS; look++) {
      jcmd("GC.run");
      Matcher used = USED.matcher(jcmd("GC.heap_info"));
      long kilobytes = 0;
      while (used.find()) {
        kilobytes += Long.parseLong(used.group(1));
      }
      least = Math.min(least, kilobytes);
    }
    return least / 1024;
  }

  private String jcmd(String command) {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    try {
      Process asked =
          new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), command)
              .redirectErrorStream(true)
              .start();
      String answer = new String(asked.getInputStream().readAllBytes(), UTF_8);
      asked.waitFor();
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw BenchException.interrupted(e);
    }
  }

  /** The commits of the rows table; the daemon should have ended, since SQLite knows one writer. */
  CommitLog commits() {
    try (JdbcCatalog catalog = new JdbcCatalog()) {
      catalog.setConf(new Configuration());
      catalog.initialize("onceberg", catalog(launch.home()));
      return CommitLog.of(catalog.loadTable(TABLE));
    }
  }

  /** Ends the daemon; its log and tables can be looked at afterwards. */
  void stop() {
    process.close();
  }

  @Override
  public void close() {
    stop();
  }
}
