package io.onceberg.it.faults;

import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.loop.IngestLoop;
import io.onceberg.ingest.loop.LoopEnd;
import io.onceberg.ingest.loop.TargetLedgers;
import io.onceberg.ingest.sink.SparkBatchEngine;
import io.onceberg.ingest.sink.SparkSessions;
import io.onceberg.ingest.sink.Targets;
import io.onceberg.ingest.source.BatchPlanner;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.Warehouse;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The daemon's loop in a thread of this JVM, over the same parts as the command {@code run}. It
 * knows nothing but what lies in the tables, as after any start, and begins without a JVM's delay.
 */
final class LocalDaemon implements AutoCloseable {
  private static final long LONGEST_END_SECONDS = 60;

  private final CountDownLatch stopping = new CountDownLatch(1);
  private final CompletableFuture<LoopEnd> end = new CompletableFuture<>();
  private final CompletableFuture<IngestLoop> loop = new CompletableFuture<>();
  private final InstantSource clock;

  LocalDaemon(Map<String, String> settings) {
    this(settings, InstantSource.system());
  }

  LocalDaemon(Map<String, String> settings, InstantSource clock) {
    this.clock = clock;
    Thread thread = new Thread(() -> run(DaemonConfig.of(settings)), "daemon");
    thread.setDaemon(true);
    thread.start();
  }

  private void run(DaemonConfig config) {
    try (Targets targets =
        new Targets(() -> Warehouse.open(config.catalog()), name -> config.target(name).table())) {
      var spark = SparkSessions.open(config.catalog(), config.spark());
      try (SparkBatchEngine engine = new SparkBatchEngine(spark, targets, config);
          BatchPlanner planner =
              new BatchPlanner(
                  config,
                  name -> targets.get(name).ledger(),
                  clock,
                  () -> stopping.getCount() == 0)) {
        loop.complete(
            new IngestLoop(config, planner, engine, new Ledgers(targets), clock, stopping));
        end.complete(loop.join().run());
      }
    } catch (RuntimeException e) {
      end.completeExceptionally(e);
    }
  }

  /** What it says is wrong with it now. */
  List<String> complaints() {
    return loop.isDone() ? loop.join().health().complaints() : List.of();
  }

  /** Throws when it has ended. */
  void check() {
    if (end.isDone()) {
      throw new IllegalStateException("the daemon ended: " + end.join());
    }
  }

  /** Asks it to end and waits for that. */
  LoopEnd end() {
    stopping.countDown();
    return awaitEnd();
  }

  /** Waits until it ends by itself. */
  LoopEnd awaitEnd() {
    return end.orTimeout(LONGEST_END_SECONDS, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    stopping.countDown();
    end.handle((ended, failure) -> failure).join();
  }

  private record Ledgers(Targets targets) implements TargetLedgers {
    @Override
    public void open() {
      targets.warehouse();
    }

    @Override
    public Ledger ledger(TargetName target) {
      return targets.get(target).ledger();
    }

    @Override
    public void reload(TargetName target) {
      targets.get(target).refresh();
    }
  }
}
