package io.onceberg.it.soak;

import io.onceberg.it.platform.AuditedPath;
import io.onceberg.it.platform.AuditedTable;
import io.onceberg.it.platform.Link;
import io.onceberg.it.platform.LocalDaemonProcess;
import io.onceberg.it.platform.LocalStack;
import io.onceberg.it.platform.PlatformException;
import io.onceberg.it.platform.PlatformSettings;
import io.onceberg.it.platform.Service;
import io.onceberg.it.platform.TableCheck;
import io.onceberg.it.platform.Traffic;
import io.onceberg.it.stack.Scratch;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A soak from start to result. */
final class Soak implements AutoCloseable {
  private static final String NAME = "soak";
  private static final List<AuditedTable> TABLES =
      List.of(AuditedTable.ORDERS, AuditedTable.LINES, AuditedTable.VISITS, AuditedTable.OUTBOX);
  private static final Duration PAUSE = Duration.ofMillis(120);
  private static final Duration LONGEST_DRAIN = Duration.ofMinutes(10);
  private static final Duration LONGEST_FAULT = Duration.ofMinutes(4);
  private static final Duration LONGEST_END = Duration.ofSeconds(30);
  private static final int LANES = 3;

  /** What a worker has sent since it last stored how far it has read comes again after a kill. */
  private static final Map<String, String> CONNECT =
      Map.of("offset.flush.interval.ms", "30000", "producer.compression.type", "lz4");

  /** Rows of the table without a key can be equal: only their place tells them apart. */
  private static final Map<String, String> CONNECTOR =
      Map.of("provide.transaction.metadata", "true");

  private final long seed;
  private final boolean keep;
  private final PrintStream out;
  private final LocalStack stack;
  private final FaultTally tally = new FaultTally();
  private final ExecutorService lanes = Executors.newCachedThreadPool();
  private volatile boolean over;
  private @Nullable AuditedPath path;

  Soak(Path peers, Path home, boolean keep, long seed, PrintStream out) {
    this.seed = seed;
    this.keep = keep;
    this.out = out;
    PlatformSettings.useObjectStoreHere();
    stack = LocalStack.startWithLinks(peers, home, CONNECT);
    if (keep) { // the tables are kept, not the data of PostgreSQL and Kafka
      Scratch.deleteAtEnd(home.resolve("postgres").resolve("data"));
      Scratch.deleteAtEnd(home.resolve("kafka").resolve("data"));
    }
  }

  SoakResult run(Duration time) throws SQLException {
    AuditedPath made = new AuditedPath(stack, NAME, TABLES, CONNECTOR);
    path = made;
    Random seeds = new Random(seed);
    Daemons daemons = new Daemons(stack, settings(made));
    daemons.current().awaitOutput("batch target=", 0, LONGEST_DRAIN);
    DaemonTally batches =
        new DaemonTally(Daemons.logs().stream().map(stack.home()::resolve).toList());
    ReentrantLock parts = new ReentrantLock();
    Watch watch = new Watch(stack, made.connector(), daemons, parts, () -> over);
    Others others = new Others(stack, made, TABLES);
    List<Future<?>> running = new ArrayList<>();
    long begun = System.nanoTime();
    try (Traffic traffic =
        new Traffic(made.database(), seeds.nextLong(), PAUSE, Integer.MAX_VALUE)) {
      running.add(
          lanes.submit(
              new PartTroubles(
                  stack, daemons, others, parts, seeds.nextLong(), tally, () -> over)));
      NetworkTroubles.Links links = new NetworkTroubles.Links(stack);
      for (int i = 0; i < LANES; i++) {
        running.add(lanes.submit(new NetworkTroubles(links, seeds.nextLong(), tally, () -> over)));
      }
      Future<?> watching = lanes.submit(watch);
      running.add(watching);
      new Minutes(stack, made, tally, batches, traffic, out).show(time, running);
      over = true;
      running.forEach(Soak::await);
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
    out.println("faults are healed; waiting for the last changes");
    heal(made, daemons);
    return result(made, daemons, watch, batches, seconds);
  }

  private static Map<String, String> settings(AuditedPath path) {
    Map<String, String> settings = new TreeMap<>(path.daemonSettings());
    settings.put("batch.max.wait.ms", "500");
    settings.put("start.wait.ms", "3600000"); // faults may lie one upon the other
    // an hour of small batches: what others would keep for days goes sooner
    settings.put("table.default.history.keep", "100");
    settings.put("keys.history.ms", "60000");
    settings.put("table.default.properties.write.metadata.delete-after-commit.enabled", "true");
    settings.put("table.default.properties.write.metadata.previous-versions-max", "10");
    return settings;
  }

  private static void await(Future<?> lane) {
    try {
      lane.get(LONGEST_FAULT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new PlatformException("a lane of faults does not end: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PlatformException("interrupted", e);
    }
  }

  /** Everything runs again, and is left alone. */
  private void heal(AuditedPath made, Daemons daemons) {
    for (Link link : Link.values()) {
      stack.link(link).end();
    }
    for (Service service : Service.values()) {
      if (stack.process(service).filter(process -> process.alive()).isEmpty()) {
        stack.launch(service);
      }
      stack.awaitReady(service);
    }
    daemons.revive();
    made.connector().awaitRunningAgain();
  }

  private SoakResult result(
      AuditedPath made, Daemons daemons, Watch watch, DaemonTally batches, long seconds)
      throws SQLException {
    boolean drained = made.awaitDrained(LONGEST_DRAIN, daemons::revive);
    List<TableCheck> checks = new ArrayList<>();
    for (AuditedTable table : TABLES) {
      checks.add(made.check(table));
    }
    LocalDaemonProcess last = daemons.current();
    boolean ended = last.stop(LONGEST_END);
    batches.follow();
    List<String> errors = new ArrayList<>(batches.errors());
    if (!ended || last.exitStatus().orElse(1) != 0) {
      errors.add("the daemon did not end in order, status " + last.exitStatus());
    }
    daemons.endings().forEach(ending -> errors.add("a daemon ended by itself, " + ending));
    Map<String, Integer> restarts = new TreeMap<>();
    watch.endings().forEach((service, n) -> restarts.put(service + " ended by itself", n));
    restarts.put("failed connector tasks started again", watch.failedTasks());
    return new SoakResult(
        seed,
        seconds,
        tally.byKind(),
        tally.unfelt(),
        restarts,
        batches.figures(),
        drained,
        checks,
        errors);
  }

  /** Ends all parts; the data of a soak that is kept stay, but for PostgreSQL's and Kafka's. */
  @Override
  public void close() {
    over = true;
    lanes.shutdownNow();
    if (path != null) {
      path.tables().close();
    }
    if (keep) {
      stack.end();
    } else {
      stack.close();
    }
  }
}
