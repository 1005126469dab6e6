package io.onceberg.it.demo;

import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.ops.PlanLine;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.cli.Main;
import io.onceberg.it.platform.Comparison;
import io.onceberg.it.stack.ChildJvm;
import io.onceberg.it.stack.Deadline;
import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.LocalPostgres;
import io.onceberg.it.stack.OwnedProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The demo from start to result: live ingestion, a kill of the daemon in mid-batch, a kill of the
 * connector before it stored its position, and the comparison with the database's own record.
 */
final class Demo implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration PROMPT = Duration.ofSeconds(1);
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration QUIET = Duration.ofMillis(300);
  private static final int KILL_ATTEMPTS = 6;

  private final DemoSize size;
  private final DemoFiles files;
  private final Progress progress;
  private final List<String> topics = DemoTable.ALL.stream().map(DemoTable::topic).toList();
  private final DaemonLog log;

  private final LocalPostgres postgres;
  private final LocalKafka kafka;
  private final Workload workload;
  private final AuditTrail audit;
  private final TopicReader reader;
  private final Slot slot;
  private @Nullable OwnedProcess capture;
  private @Nullable OwnedProcess daemon;

  Demo(DemoSize size, Path directory, Progress progress) throws SQLException {
    this.size = size;
    this.files = new DemoFiles(directory);
    this.progress = progress;
    this.log = new DaemonLog(files.daemonLog());
    progress.say("starting PostgreSQL and Kafka in %s".formatted(directory));
    CompletableFuture<LocalKafka> starting =
        CompletableFuture.supplyAsync(
            () -> LocalKafka.builder().directory(directory.resolve("kafka")).start());
    this.postgres = LocalPostgres.start(directory.resolve("postgres"));
    this.workload = new Workload(connect(), connect());
    workload.createTables();
    Connection auditing = connect();
    auditing.setAutoCommit(false);
    this.audit = new AuditTrail(auditing);
    audit.install();
    this.slot = new Slot(connect());
    this.kafka = starting.join();
    this.reader = new TopicReader(kafka.bootstrapServers(), kafka.admin());
    files.writeDaemonConfig(kafka);
    progress.say(
        "PostgreSQL and Kafka are up; %d tables with an audit trail"
            .formatted(DemoTable.ALL.size()));
  }

  DemoFiles files() {
    return files;
  }

  LocalPostgres postgres() {
    return postgres;
  }

  LocalKafka kafka() {
    return kafka;
  }

  /** Everything up to the figures. Capture and daemon run on. */
  DemoResult run() throws SQLException {
    snapshot();
    live();
    MidBatchKill kill = killDaemonInMidBatch();
    int plansBefore = log.plans().size();
    replay();
    goOn();
    List<PlanLine> later = log.plans().subList(plansBefore, log.plans().size());
    return compare(kill, later);
  }

  private void snapshot() throws SQLException {
    long rows = audit.initialRows();
    startCapture(PROMPT);
    await("the snapshot is in Kafka", () -> reader.records(topics) >= rows);
    workload.rounds(1);
    awaitCapture();
    progress.say("the connector took a snapshot of %d rows and follows the log".formatted(rows));
    stop(capture);
    capture = null;
  }

  private void live() throws SQLException {
    startDaemon();
    startCapture(NEVER);
    slot.awaitStandstill(this::awaitCapture);
    workload.rounds(size.before() / 2);
    workload.copy();
    workload.changePrimaryKey();
    workload.rounds(size.before() - size.before() / 2);
    awaitCapture();
    awaitDaemon();
    progress.say("%,d changes made, captured and ingested live".formatted(audit.changes()));
  }

  private MidBatchKill killDaemonInMidBatch() throws SQLException {
    for (int attempt = 1; attempt <= KILL_ATTEMPTS; attempt++) {
      int plansBefore = log.plans().size();
      workload.burst(size.burst());
      OwnedProcess victim = running(daemon, "the daemon");
      await(
          "the daemon has planned a batch over all targets",
          () -> log.plans().size() >= plansBefore + DemoTable.ALL.size());
      victim.kill();
      daemon = null;
      log.follow();
      MidBatchKill kill = MidBatchKill.of(log.open(), DaemonConfig.load(files.daemonConfig()));
      log.daemonIsGone();
      if (kill.hitAll()) {
        progress.say("the daemon was killed in mid-batch; none of that batch is in the tables");
        return kill;
      }
      progress.say("the kill came too late, the batch was in; once more");
      startDaemon();
    }
    throw new DemoFailure("the daemon was never hit in mid-batch; see " + files.daemonLog());
  }

  /** Neither the stored position nor the slot has moved, so the connector sends all of it again. */
  private void replay() throws SQLException {
    awaitCapture();
    long sent = reader.records(topics);
    running(capture, "capture").kill();
    capture = null;
    progress.say("the connector was killed before it stored its position; it starts again");
    startCapture(PROMPT);
    awaitCapture();
    progress.say(
        "%,d records came again at new offsets".formatted(reader.records(topics) - sent - 1));
    startDaemon();
  }

  private void goOn() throws SQLException {
    workload.rounds(size.after() / 2);
    workload.addColumn();
    workload.changePrimaryKey();
    workload.rounds(size.after() - size.after() / 2);
    awaitCapture();
    awaitDaemon();
    progress.say("the daemon has caught up, with a column added on the way");
  }

  private DemoResult compare(MidBatchKill kill, List<PlanLine> later) throws SQLException {
    List<TargetFigures> figures = new ArrayList<>();
    try (IcebergRows iceberg = new IcebergRows(DaemonConfig.load(files.daemonConfig()))) {
      for (DemoTable table : DemoTable.ALL) {
        figures.add(compare(table, iceberg, kill.readAgain(table.target(), later)));
      }
    }
    progress.say("each row compared with what the database recorded");
    return DemoResult.of(figures);
  }

  private TargetFigures compare(DemoTable table, IcebergRows iceberg, long readAgain)
      throws SQLException {
    KafkaTally tally = new KafkaTally(table);
    reader.read(table.topic(), tally::add);
    Comparison comparison = new Comparison();
    audit.expected(table, comparison::expect);
    iceberg.read(table, comparison::find);
    comparison
        .examples()
        .forEach(example -> progress.say("%s %s".formatted(table.target(), example)));
    return new TargetFigures(
        table.target(),
        tally.changeEvents(),
        tally.distinctEvents(),
        comparison.rows(),
        iceberg.count(table.target() + "_keys"),
        new TargetFigures.Duplicates(
            sum(table, TargetReport::inBatch), sum(table, TargetReport::connectorReplay)),
        readAgain,
        iceberg.count(table.target() + "_quarantine"),
        comparison.missing(),
        comparison.extra());
  }

  private long sum(DemoTable table, ToLongFunction<TargetReport> figure) {
    return log.batches(table.target()).stream().mapToLong(figure).sum();
  }

  // ---- Processes

  private void startCapture(Duration flush) {
    files.writeCaptureConfig(postgres, kafka, flush);
    capture = start("capture", 384, files.captureConfig(), files.captureLog());
  }

  private void startDaemon() {
    daemon = start("run", 1_024, files.daemonConfig(), files.daemonLog());
  }

  private static OwnedProcess start(String command, int megabytes, Path config, Path log) {
    return ChildJvm.start(
        "onceberg " + command,
        Main.class.getName(),
        List.of("-Xmx" + megabytes + "m", "-XX:+UseSerialGC"),
        List.of(command, "--config", config.toString()),
        log);
  }

  private static void stop(@Nullable OwnedProcess process) {
    if (process != null) {
      process.close();
    }
  }

  private static OwnedProcess running(@Nullable OwnedProcess process, String name) {
    if (process == null || !process.alive()) {
      throw new DemoFailure(
          "%s ended by itself; %s"
              .formatted(name, process == null ? "it was not started" : process.tail()));
    }
    return process;
  }

  // ---- Waiting

  /** Until Kafka holds every change made so far. */
  private void awaitCapture() throws SQLException {
    try (TopicReader.Tail tail = reader.tail(DemoTable.CUSTOMERS.topic())) {
      String mark = workload.mark();
      await("the last change is in Kafka", () -> tail.sees(mark));
    }
    awaitQuiet();
  }

  /** The last events of the same request may come a moment later to their partitions. */
  private void awaitQuiet() {
    long[] last = {-1};
    await(
        "Kafka is quiet",
        () -> {
          long before = last[0];
          last[0] = reader.records(topics);
          Deadline.in(QUIET).await(() -> false);
          return last[0] == before;
        });
  }

  private void awaitDaemon() {
    await("the daemon has read everything", () -> reader.lag(DemoFiles.GROUP, topics) == 0);
    await("its log says so", () -> log.open().isEmpty());
  }

  private void await(String what, BooleanSupplier condition) {
    Deadline deadline = Deadline.in(PATIENCE);
    while (!holds(condition)) {
      if (capture != null) {
        running(capture, "capture");
      }
      if (daemon != null) {
        running(daemon, "the daemon");
      }
      if (!deadline.pause()) {
        throw new DemoFailure(
            "waited %d s in vain until %s; the logs are in %s"
                .formatted(PATIENCE.toSeconds(), what, files.directory().resolve("logs")));
      }
    }
  }

  private boolean holds(BooleanSupplier condition) {
    log.follow();
    return condition.getAsBoolean();
  }

  private Connection connect() throws SQLException {
    return postgres.connect(DemoFiles.DATABASE);
  }

  @Override
  public void close() throws SQLException {
    stop(daemon);
    stop(capture);
    reader.close();
    workload.close();
    kafka.close();
    postgres.close();
  }
}
