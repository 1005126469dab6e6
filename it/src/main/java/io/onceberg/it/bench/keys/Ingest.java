package io.onceberg.it.bench.keys;

import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.sink.BatchPlan;
import io.onceberg.ingest.sink.SparkBatchEngine;
import io.onceberg.ingest.sink.SparkSessions;
import io.onceberg.ingest.sink.TargetPlan;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.ingest.sink.TargetResult;
import io.onceberg.ingest.sink.Targets;
import io.onceberg.ingest.source.BatchPlanner;
import io.onceberg.ingest.source.KafkaRangeReader;
import io.onceberg.it.bench.BenchException;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.Target;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.Warehouse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** The daemon's parts in this process, without its loop: batches run when they are told to. */
final class Ingest implements AutoCloseable {
  static final TargetName EVENTS = new TargetName("bench", "events");

  /** All batches are of this day. */
  static final Instant NOW = Instant.parse("2026-03-14T12:00:00Z");

  static final int TODAY = (int) LocalDate.ofInstant(NOW, ZoneOffset.UTC).toEpochDay();
  private static final String PLAIN_APPEND = "onceberg.bench.plain-append";

  private final Path warehouse;
  private final Map<String, String> settings;
  private final DaemonConfig config;
  private final SparkSession spark;
  private final Targets targets;
  private final SparkBatchEngine exact;
  private final SparkBatchEngine plain;

  Ingest(Path warehouse, String bootstrap) {
    this.warehouse = warehouse;
    this.settings = settings(warehouse, bootstrap);
    this.config = DaemonConfig.of(settings);
    this.spark = SparkSessions.open(config.catalog(), config.spark()).newSession();
    String catalog = "spark.sql.catalog." + config.catalog().name() + ".";
    config.catalog().properties().forEach((key, value) -> spark.conf().set(catalog + key, value));
    this.targets =
        new Targets(() -> Warehouse.open(config.catalog()), name -> config.target(name).table());
    this.exact = engine(false);
    this.plain = engine(true);
  }

  private static Map<String, String> settings(Path warehouse, String bootstrap) {
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", bootstrap);
    settings.put("topics.regex", "bench\\.batch\\..*");
    settings.put("key.converter.schemas.enable", "false");
    settings.put("value.converter.schemas.enable", "false");
    settings.put("target.namespace", EVENTS.namespace());
    settings.put("catalog.warehouse", warehouse.toString());
    settings.put("table.events.kind", "events");
    settings.put("table.events.key", Event.KEY);
    settings.put("table.events.partition.by", "loaded_date");
    return settings;
  }

  private SparkBatchEngine engine(boolean plainAppend) {
    System.setProperty(PLAIN_APPEND, Boolean.toString(plainAppend));
    try {
      return new SparkBatchEngine(spark, targets, config);
    } finally {
      System.clearProperty(PLAIN_APPEND);
    }
  }

  Target target() {
    return targets.get(EVENTS);
  }

  Warehouse catalog() {
    return targets.warehouse();
  }

  DedupPolicy policy() {
    return config.target(EVENTS).dedup();
  }

  SparkSession spark() {
    return spark;
  }

  JavaSparkContext context() {
    return JavaSparkContext.fromSparkContext(spark.sparkContext());
  }

  Path warehouse() {
    return warehouse;
  }

  /** The Parquet files of the target's rows, as a pattern. */
  String rowFiles() {
    return warehouse.resolve(EVENTS.namespace()).resolve(EVENTS.table())
        + "/data/loaded_date=*/*.parquet";
  }

  String catalogUri() {
    return Objects.requireNonNull(config.catalog().properties().get("uri"));
  }

  /**
   * Runs a batch to its commit.
   *
   * @param plainAppend without deduplication
   */
  TargetReport batch(List<SourceRange> ranges, boolean plainAppend) {
    BatchPlan plan = new BatchPlan(List.of(new TargetPlan(EVENTS, ranges, Set.of())), NOW);
    TargetResult result = (plainAppend ? plain : exact).run(plan).get(0);
    if (result instanceof TargetResult.Failed failed) {
      throw new BenchException("a batch failed: " + failed.error().getMessage(), failed.error());
    }
    return ((TargetResult.Landed) result).report();
  }

  /** Plans batches of one topic. */
  BatchPlanner planner(String topic, int mostRows) {
    Map<String, String> changed = new HashMap<>(settings);
    changed.remove("topics.regex");
    changed.put("topics", topic);
    changed.put("batch.max.rows", Integer.toString(mostRows));
    return new BatchPlanner(
        DaemonConfig.of(changed), name -> targets.get(name).ledger(), () -> NOW, () -> false);
  }

  @Override
  public void close() {
    exact.close();
    plain.close();
    targets.close();
    KafkaRangeReader.closeIdleConsumers();
  }
}
