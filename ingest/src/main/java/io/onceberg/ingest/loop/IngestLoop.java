package io.onceberg.ingest.loop;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.error.Reaction;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.ops.BatchLine;
import io.onceberg.ingest.ops.Health;
import io.onceberg.ingest.ops.PlanLine;
import io.onceberg.ingest.sink.BatchEngine;
import io.onceberg.ingest.sink.BatchPlan;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.ingest.sink.TargetResult;
import io.onceberg.ingest.source.BatchPlanner;
import io.onceberg.ingest.source.GroupOffsets;
import io.onceberg.ingest.source.SourcePlan;
import io.onceberg.keystore.CrashPoint;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.TargetName;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon's loop: plan, run, show progress, again. It runs in the calling thread until it is
 * asked to stop or cannot go on; what an error does is decided by the error's reaction alone.
 */
public final class IngestLoop {
  private static final Logger LOG = LoggerFactory.getLogger(IngestLoop.class);
  private static final Duration SHORTEST_LOOK = Duration.ofMillis(50);
  private static final Duration LONGEST_LOOK = Duration.ofMillis(500);

  /** How long the end waits for the group offsets of the last batch. */
  private static final Duration LAST_WORD = Duration.ofSeconds(2);

  private final DaemonConfig config;
  private final BatchPlanner planner;
  private final BatchEngine engine;
  private final TargetLedgers ledgers;
  private final GroupOffsets groupOffsets;
  private final InstantSource clock;
  private final Lifecycle lifecycle = new Lifecycle();
  private final CountDownLatch stopping;
  private final Totals totals;
  private final Health health;
  private final Stopwatch begun = new Stopwatch();
  private final Map<TargetName, OncebergException> stopped = new LinkedHashMap<>();

  /** Targets whose last batch was begun and did not land. */
  private final Set<TargetName> unsettled = new LinkedHashSet<>();

  private SourcePlan plan = SourcePlan.NOTHING;
  private @Nullable Stopwatch pendingSince;
  private @Nullable Stopwatch failingSince;
  private int failures;
  private boolean worked;
  private @Nullable OncebergException fatal;

  /**
   * Prepares the loop.
   *
   * @param clock dates the batches; what waits does so by time that passes
   * @param stopping counted down by whoever wants the loop to end; a batch in work is finished
   *     first
   */
  public IngestLoop(
      DaemonConfig config,
      BatchPlanner planner,
      BatchEngine engine,
      TargetLedgers ledgers,
      InstantSource clock,
      CountDownLatch stopping) {
    this.config = config;
    this.planner = planner;
    this.engine = engine;
    this.ledgers = ledgers;
    this.groupOffsets = planner.groupOffsets();
    this.clock = clock;
    this.stopping = stopping;
    this.totals = new Totals(config.summaryInterval());
    this.health = new Health(config.healthLimit(), System::nanoTime);
  }

  /** Runs until the end. */
  public LoopEnd run() {
    lifecycle.moveTo(LoopState.PLANNING, "reading from " + config.kafka().bootstrapServers());
    while (!lifecycle.state().isEnd()) {
      step();
    }
    groupOffsets.await(LAST_WORD);
    return new LoopEnd(fatal, stopped);
  }

  /** What the loop is doing; for other threads. */
  public LoopState state() {
    return lifecycle.state();
  }

  /** Whether targets are behind for too long, or stopped; for other threads. */
  public Health health() {
    return health;
  }

  private void step() {
    health.logChanges();
    if (isStopping() && lifecycle.state() != LoopState.STOPPING) {
      lifecycle.moveTo(LoopState.STOPPING, "asked to end");
    }
    switch (lifecycle.state()) {
      case PLANNING -> guarded(this::plan);
      case IDLE -> idle();
      case RUNNING -> guarded(this::runBatch);
      case BACKING_OFF -> backOff();
      case STOPPING -> lifecycle.moveTo(LoopState.STOPPED, "nothing is left half done");
      case STARTING, STOPPED, FAILED -> throw new IllegalStateException("nothing to do");
    }
  }

  // ---- The work

  private void plan() {
    ledgers.open();
    reloadFailed();
    plan = planner.plan(stopped.keySet());
    plan.refused().forEach(this::stopTarget);
    health.planned(plan.ranges().keySet());
    totals.logIfDue(plan.pending(), stopped);
    if (isNothingLeft()) {
      return;
    }
    if (plan.ranges().isEmpty()) {
      works();
      pendingSince = null;
      lifecycle.moveTo(LoopState.IDLE, "nothing to read");
    } else if (plan.full() || hasWaited()) {
      lifecycle.moveTo(LoopState.RUNNING, plan.size() + " records");
    } else {
      lifecycle.moveTo(LoopState.IDLE, "waiting for more than %d records".formatted(plan.size()));
    }
  }

  /**
   * Where a batch failed, nobody knows where its targets stand until their tables are read anew.
   */
  private void reloadFailed() {
    for (TargetName target : List.copyOf(unsettled)) {
      try {
        ledgers.reload(target);
        unsettled.remove(target);
      } catch (OncebergException e) {
        if (e.code().reaction() != Reaction.STOP_TARGET) {
          throw e;
        }
        stopTarget(target, e);
      }
    }
  }

  /** Whether the records that wait have waited long enough for others to join them. */
  private boolean hasWaited() {
    if (pendingSince == null) {
      pendingSince = new Stopwatch();
    }
    return pendingSince.hasReached(config.batch().maxWait());
  }

  private void idle() {
    Duration look = config.batch().maxWait().dividedBy(5);
    look = look.compareTo(SHORTEST_LOOK) < 0 ? SHORTEST_LOOK : look;
    awaitStop(look.compareTo(LONGEST_LOOK) > 0 ? LONGEST_LOOK : look);
    lifecycleNext("looking again");
  }

  private void runBatch() {
    Stopwatch start = new Stopwatch();
    plan.ranges().forEach(this::logPlan);
    pendingSince = null;
    unsettled.addAll(plan.ranges().keySet());
    List<TargetResult> results = engine.run(BatchPlan.of(plan, clock.instant()));
    OncebergException again = null;
    for (TargetResult result : results) {
      if (result instanceof TargetResult.Landed landed) {
        unsettled.remove(landed.target());
        landed(landed, start);
      } else if (result instanceof TargetResult.Failed failed) {
        again = graver(again, settle(failed));
      }
    }
    if (again != null) {
      throw again;
    }
    works();
    if (!isNothingLeft()) {
      lifecycle.moveTo(LoopState.PLANNING, "batch done");
    }
  }

  private void logPlan(TargetName target, List<SourceRange> ranges) {
    LOG.info("{}", PlanLine.of(target, ledgers.ledger(target).nextBatch(ranges), ranges));
  }

  private void landed(TargetResult.Landed landed, Stopwatch start) {
    TargetReport report = landed.report();
    LOG.info("{}", new BatchLine(report, start.elapsed().toMillis()));
    totals.add(report);
    health.committed(landed.target());
    if (ledgerCovers(landed.ledger(), landed.target())) {
      CrashPoint.BEFORE_ACK.reached();
      groupOffsets.show(landed.ledger());
    }
  }

  /** The write was checked before it was made; this is the other half, after the read. */
  private boolean ledgerCovers(Ledger ledger, TargetName target) {
    for (SourceRange range : plan.ranges().getOrDefault(target, List.of())) {
      long next = ledger.progress(range.partition()).map(p -> p.nextOffset()).orElse(-1L);
      if (next < range.until()) {
        stopTarget(
            target,
            new OncebergException(
                ErrorCode.LEDGER_BROKEN,
                "ledger lost a batch of %s: planned up to %d, ledger says %d"
                    .formatted(range.partition(), range.until(), next)));
        return false;
      }
    }
    return true;
  }

  // ---- Errors

  private interface Work {
    void run();
  }

  private void guarded(Work work) {
    try {
      work.run();
    } catch (OncebergException e) {
      react(e);
    } catch (CancellationException e) {
      LOG.debug("given up because the daemon ends", e);
    } catch (RuntimeException e) {
      if (!isStopping()) {
        LOG.error("a fault of the program", e);
        fail(new OncebergException(ErrorCode.INTERNAL, String.valueOf(e.getMessage()), e));
      }
    }
  }

  /** A target that failed alone. Returns the error when the batch is to be tried again. */
  private @Nullable OncebergException settle(TargetResult.Failed failed) {
    OncebergException error = failed.error();
    return switch (error.code().reaction()) {
      case RETRY, RECOVER, STOP -> error;
      case STOP_TARGET, QUARANTINE -> {
        stopTarget(failed.target(), error);
        yield null;
      }
    };
  }

  private static @Nullable OncebergException graver(
      @Nullable OncebergException before, @Nullable OncebergException next) {
    boolean ends = before != null && before.code().reaction() == Reaction.STOP;
    return next == null || ends ? before : next;
  }

  private void react(OncebergException error) {
    switch (error.code().reaction()) {
      case RETRY, RECOVER -> tryAgain(error);
      case STOP, STOP_TARGET, QUARANTINE -> fail(error);
    }
  }

  private void stopTarget(TargetName target, OncebergException error) {
    unsettled.remove(target);
    stopped.put(target, error);
    health.stopped(target, error);
    LOG.error("target {} stops, its offsets stay: {}", target, error.getMessage());
  }

  private boolean isNothingLeft() {
    boolean nothing = !stopped.isEmpty() && stopped.keySet().containsAll(planner.targets());
    if (nothing) {
      fail(stopped.values().iterator().next());
    }
    return nothing;
  }

  private void fail(OncebergException error) {
    fatal = error;
    lifecycle.moveTo(LoopState.FAILED, error.code().label());
  }

  /** Waiting is said once, and once more when it is over. */
  private void tryAgain(OncebergException error) {
    boolean unreachable = error.code().reaction() == Reaction.RETRY; // being fenced is no outage
    if (unreachable && !worked && begun.hasReached(config.startWait())) {
      fail(error);
      return;
    }
    failures++;
    health.failing(error);
    if (failingSince == null) {
      failingSince = new Stopwatch();
      LOG.warn("{}; trying again until it works", error.getMessage());
      lifecycle.moveTo(LoopState.BACKING_OFF, error.code().label());
    } else {
      LOG.debug("try {} failed too", failures, error);
      lifecycle.moveQuietlyTo(LoopState.BACKING_OFF, error.code().label());
    }
  }

  private void backOff() {
    awaitStop(config.retry().waitAfter(failures));
    if (!isStopping()) {
      lifecycle.moveQuietlyTo(LoopState.PLANNING, "trying again");
    }
  }

  private void works() {
    worked = true;
    if (failingSince != null) {
      LOG.info(
          "back to work after {} tries and {} ms", failures, failingSince.elapsed().toMillis());
    }
    health.works();
    failingSince = null;
    failures = 0;
  }

  // ---- The end

  private void lifecycleNext(String reason) {
    if (!isStopping()) {
      lifecycle.moveTo(LoopState.PLANNING, reason);
    }
  }

  private boolean isStopping() {
    return stopping.getCount() == 0;
  }

  private void awaitStop(Duration atMost) {
    try {
      if (stopping.await(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.debug("woken to end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stopping.countDown();
    }
  }
}
