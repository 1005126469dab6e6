package io.onceberg.it.engine;

import io.onceberg.ingest.cli.Onceberg;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.sink.BatchEngine;
import io.onceberg.ingest.sink.BatchPlan;
import io.onceberg.ingest.sink.PastDays;
import io.onceberg.ingest.sink.SparkBatchEngine;
import io.onceberg.ingest.sink.SparkSessions;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.ingest.sink.TargetResult;
import io.onceberg.ingest.sink.Targets;
import io.onceberg.ingest.source.BatchPlanner;
import io.onceberg.ingest.source.SourcePlan;
import io.onceberg.it.stack.SharedStack;
import io.onceberg.keystore.Target;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.Warehouse;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * The daemon's parts without its loop: tests say when a batch runs. Each pipeline has a warehouse
 * of its own; {@link #restart} opens it anew, as a restarted daemon would.
 */
public final class Pipeline implements AutoCloseable {
  public static final Instant NOON = Instant.parse("2026-03-14T12:00:00Z");

  private static final int LARGEST_REQUEST = 32 << 20;

  private final Path warehouse;
  private final Map<String, String> settings;
  private final KafkaProducer<byte[], byte[]> producer;
  private DaemonConfig config;
  private SparkSession spark;
  private Warehouse open;
  private Targets targets;
  private BatchPlanner planner;
  private SparkBatchEngine engine;
  private @Nullable PastDays pastDays;
  private Instant now = NOON;

  /**
   * Opens the parts.
   *
   * @param more settings beside those for broker, converters without schema, and warehouse
   */
  public Pipeline(Path warehouse, Map<String, String> more) {
    this.warehouse = warehouse;
    this.settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", SharedStack.kafka().bootstrapServers());
    settings.put("catalog.warehouse", warehouse.toString());
    settings.put("target.namespace", "shop");
    settings.put("key.converter.schemas.enable", "false");
    settings.put("value.converter.schemas.enable", "false");
    settings.putAll(more);
    this.producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                SharedStack.kafka().bootstrapServers(),
                "enable.idempotence",
                "true",
                "max.in.flight.requests.per.connection",
                "1",
                "max.request.size",
                String.valueOf(LARGEST_REQUEST)),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    start();
  }

  private void start() {
    config = DaemonConfig.of(settings);
    spark = SparkSessions.open(config.catalog(), config.spark()).newSession();
    String catalog = "spark.sql.catalog." + config.catalog().name() + ".";
    config.catalog().properties().forEach((key, value) -> spark.conf().set(catalog + key, value));
    open = Warehouse.open(config.catalog());
    targets = new Targets(() -> open, name -> config.target(name).table());
    planner = new BatchPlanner(config, name -> targets.get(name).ledger(), () -> now, () -> false);
    engine = new SparkBatchEngine(spark, targets, config);
  }

  /** Forgets everything that only a process knows. */
  public void restart() {
    stop();
    start();
  }

  /** Restarts under other settings. */
  public void restart(Map<String, String> changed) {
    settings.putAll(changed);
    restart();
  }

  /** From now on until a restart, merges keys of past days as the daemon does. */
  void mergePastDays() {
    pastDays = new PastDays(engine, config);
  }

  private void stop() {
    if (pastDays != null) {
      pastDays.close();
      pastDays = null;
    }
    engine.close();
    planner.close();
    open.close();
  }

  void now(Instant instant) {
    now = instant;
  }

  public static void createTopic(String topic, int partitions) {
    createTopic(topic, partitions, Map.of());
  }

  static void createTopic(String topic, int partitions, Map<String, String> configs) {
    await(
        SharedStack.kafka()
            .admin()
            .createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(configs)))
            .all()
            .toCompletionStage()
            .toCompletableFuture());
  }

  static void growTopic(String topic, int partitions) {
    await(
        SharedStack.kafka()
            .admin()
            .createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions)))
            .all()
            .toCompletionStage()
            .toCompletableFuture());
  }

  /** Sends records to one partition and waits until the broker has them. */
  void send(String topic, int partition, List<Event> events) {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (Event event : events) {
      sent.add(
          producer.send(
              new ProducerRecord<>(topic, partition, bytes(event.key()), bytes(event.value()))));
    }
    sent.forEach(Pipeline::await);
  }

  /** Sends any bytes. */
  public void sendRaw(String topic, int partition, byte @Nullable [] key, byte @Nullable [] value) {
    await(producer.send(new ProducerRecord<>(topic, partition, key, value)));
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  /** Plans and runs one batch over all that waits. */
  public List<TargetResult> batch() {
    SourcePlan plan = planner.plan(Set.of());
    if (plan.ranges().isEmpty()) {
      return List.of();
    }
    BatchEngine batches = pastDays == null ? engine : pastDays;
    return batches.run(BatchPlan.of(plan, now));
  }

  /** What can be read now, and which targets cannot go on. */
  SourcePlan plan() {
    return planner.plan(Set.of());
  }

  /** Runs a batch again that was planned before. */
  List<TargetResult> run(SourcePlan plan) {
    return engine.run(BatchPlan.of(plan, now));
  }

  /** One batch of one target, which must land. */
  public TargetReport landed() {
    List<TargetResult> results = batch();
    if (results.size() == 1 && results.get(0) instanceof TargetResult.Landed landed) {
      return landed.report();
    }
    throw new AssertionError("expected one landed target, got " + results);
  }

  /** One batch of one target, which must fail. */
  TargetResult.Failed failed() {
    List<TargetResult> results = batch();
    if (results.size() == 1 && results.get(0) instanceof TargetResult.Failed failed) {
      return failed;
    }
    throw new AssertionError("expected one failed target, got " + results);
  }

  Target target(String table) {
    return targets.get(TargetName.parse("shop." + table));
  }

  public List<Row> sql(String query) {
    return spark.sql(query).collectAsList();
  }

  public long count(String table) {
    return sql("SELECT count(*) FROM shop." + table).get(0).getLong(0);
  }

  SparkSession spark() {
    return spark;
  }

  Warehouse warehouse() {
    return open;
  }

  /** Runs a command of the command line under this pipeline's settings; it must succeed. */
  String command(String... arguments) {
    Said said = say(arguments);
    if (said.status != 0) {
      throw new AssertionError(
          "%s: status %d: %s%s".formatted(List.of(arguments), said.status, said.out, said.err));
    }
    return said.out;
  }

  /** What a command printed, and how it ended. */
  record Said(int status, String out, String err) {}

  /** Runs a command of the command line under this pipeline's settings. */
  Said say(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<String> line = new ArrayList<>(List.of(arguments));
    line.addAll(List.of("--config", configFile()));
    int status =
        Onceberg.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(line.toArray(String[]::new));
    return new Said(status, out.toString(), err.toString());
  }

  String configFile() {
    Properties properties = new Properties();
    properties.putAll(settings);
    Path file = warehouse.resolve("onceberg.properties");
    try (Writer writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return file.toString();
  }

  Path warehousePath() {
    return warehouse;
  }

  @Override
  public void close() {
    producer.close();
    stop();
  }
}
