package io.onceberg.ingest.sink;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.dedup.Counts;
import io.onceberg.ingest.dedup.Counts.Outcome;
import io.onceberg.ingest.dedup.WriteResult;
import io.onceberg.keystore.BatchId;
import io.onceberg.keystore.CommitOutcome;
import io.onceberg.keystore.CrashPoint;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.SourceProgress;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.Target;
import io.onceberg.keystore.TargetName;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs batches as Spark jobs and commits each target by itself.
 *
 * <p>A job decodes against the columns that the tables have. When its records bring columns that
 * the tables lack, it writes nothing for that target; the tables are made to fit and the same
 * offsets are read again. When someone else moved the tables, the same offsets are joined again on
 * the new base.
 */
public final class SparkBatchEngine implements BatchEngine, AutoCloseable {
  /** Benchmarks set this to see what the same path costs without deduplication. */
  static final String PLAIN_APPEND = "onceberg.bench.plain-append";

  private static final Logger LOG = LoggerFactory.getLogger(SparkBatchEngine.class);
  private static final int MOST_RUNS = 12;

  /** Runs that end soon after the first record that does not fit; later ones look at every one. */
  private static final int QUICK_RUNS = 6;

  private static final long SCHEMA_LOOK_AHEAD = 1_000;
  private static final int COMMIT_THREADS = 8;
  private static final Future<Step> NOT_YET = new CompletableFuture<>();

  private final Targets targets;
  private final DaemonConfig config;
  private final BatchJob job;
  private final ExecutorService commits = Executors.newFixedThreadPool(COMMIT_THREADS);

  public SparkBatchEngine(SparkSession spark, Targets targets, DaemonConfig config) {
    this.targets = targets;
    this.config = config;
    this.job =
        new BatchJob(
            JavaSparkContext.fromSparkContext(spark.sparkContext()),
            config.kafka(),
            Boolean.getBoolean(PLAIN_APPEND));
  }

  @Override
  public List<TargetResult> run(BatchPlan plan) {
    int loadedDate = (int) LocalDate.ofInstant(plan.referenceTime(), ZoneOffset.UTC).toEpochDay();
    List<TargetResult> results = new ArrayList<>();
    List<TargetPlan> open = plan.targets();
    for (int run = 1; !open.isEmpty(); run++) {
      List<Step> steps = runOnce(open, loadedDate, run);
      List<TargetPlan> again = new ArrayList<>();
      for (int i = 0; i < steps.size(); i++) {
        if (steps.get(i) instanceof Step.Done done) {
          results.add(done.result());
        } else {
          again.add(open.get(i));
        }
      }
      open = again;
    }
    return results;
  }

  @Override
  public void close() {
    commits.shutdownNow();
  }

  /** What one run of the job brought for one target. */
  private sealed interface Step {
    record Done(TargetResult result) implements Step {}

    /** The job must run again over the same offsets. */
    record Again() implements Step {}
  }

  /** Runs the job once for all targets that can be pinned; gives a step for each plan. */
  private List<Step> runOnce(List<TargetPlan> plans, int loadedDate, int run) {
    boolean last = run == MOST_RUNS;
    List<BatchJob.Part> parts = new ArrayList<>();
    List<Future<Step>> steps = new ArrayList<>();
    List<TargetPlan> pinned = new ArrayList<>();
    for (TargetPlan plan : plans) {
      try {
        parts.add(part(plan));
        pinned.add(plan);
        steps.add(NOT_YET);
      } catch (OncebergException e) {
        Step unpinned = new Step.Done(new TargetResult.Failed(plan.target(), e));
        steps.add(CompletableFuture.completedFuture(unpinned));
      }
    }
    List<WriteResult> written = parts.isEmpty() ? List.of() : runJob(parts, loadedDate, run);
    for (int i = 0; i < pinned.size(); i++) {
      TargetPlan plan = pinned.get(i);
      TargetWritten all = TargetWritten.of(written, i);
      steps.set(plans.indexOf(plan), commits.submit(() -> settle(plan, all, loadedDate, last)));
    }
    List<Step> settled = new ArrayList<>();
    for (int i = 0; i < plans.size(); i++) {
      settled.add(await(plans.get(i).target(), steps.get(i)));
    }
    return settled;
  }

  private BatchJob.Part part(TargetPlan plan) {
    return new BatchJob.Part(
        config.target(plan.target()),
        targets.get(plan.target()).pin(),
        plan.ranges(),
        plan.undivided());
  }

  private List<WriteResult> runJob(List<BatchJob.Part> parts, int loadedDate, int run) {
    try {
      List<WriteResult> written =
          job.run(parts, loadedDate, run <= QUICK_RUNS ? SCHEMA_LOOK_AHEAD : Long.MAX_VALUE);
      CrashPoint.JOB_DONE.reached();
      return written;
    } catch (Exception e) {
      // not RuntimeException: Spark's is a checked one that comes undeclared, through Scala
      throw JobFailures.translate(e);
    }
  }

  private static Step await(TargetName target, Future<Step> settling) {
    try {
      return settling.get();
    } catch (ExecutionException e) {
      OncebergException error =
          e.getCause() instanceof OncebergException known
              ? known
              : new OncebergException(
                  ErrorCode.INTERNAL, "committing " + target + " failed: " + e.getCause(), e);
      return new Step.Done(new TargetResult.Failed(target, error));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OncebergException(
          ErrorCode.COMMIT_IN_DOUBT, "interrupted while committing " + target, e);
    }
  }

  /** Answers everything that a run of the job can bring for one target. */
  private Step settle(TargetPlan plan, TargetWritten written, int loadedDate, boolean last) {
    Target target = targets.get(plan.target());
    if (written.failure() != null) {
      target.discard(written.files());
      return failed(plan, written.failure(), written.failureMessage());
    }
    if (!written.newSchemas().isEmpty()) {
      target.discard(written.files());
      if (last) {
        return failed(
            plan,
            ErrorCode.SCHEMA_INCOMPATIBLE,
            "the tables still do not fit the records after " + MOST_RUNS + " changes of schema");
      }
      target.evolve(written.newSchemas());
      return standsAtStart(target.ledger(), plan.ranges())
          ? new Step.Again()
          : failed(plan, ErrorCode.FENCED, "a batch was committed while the tables were evolved");
    }
    if (written.counts().unaccounted() != 0) {
      target.discard(written.files());
      return failed(
          plan,
          ErrorCode.INTERNAL,
          "%d of %d records have no outcome"
              .formatted(written.counts().unaccounted(), written.counts().of(Outcome.READ)));
    }
    return commit(plan, target, written, loadedDate, last);
  }

  private Step commit(
      TargetPlan plan, Target target, TargetWritten written, int loadedDate, boolean last) {
    Ledger ledger = target.ledger();
    BatchId batch = ledger.nextBatch(plan.ranges());
    CommitOutcome outcome =
        target.commit(batch, ledger.advance(batch, plan.ranges()), written.files(), loadedDate);
    if (outcome instanceof CommitOutcome.Committed committed) {
      return new Step.Done(
          new TargetResult.Landed(report(plan, batch, written.counts()), committed.ledger()));
    } else if (outcome instanceof CommitOutcome.Fenced fenced) {
      target.discard(written.files());
      return fenced(plan, target, fenced.reason(), last);
    }
    CommitOutcome.InDoubt doubt = (CommitOutcome.InDoubt) outcome;
    return new Step.Done(
        new TargetResult.Failed(
            plan.target(),
            new OncebergException(
                ErrorCode.COMMIT_IN_DOUBT,
                "batch %s of %s: %s".formatted(batch, plan.target(), doubt.cause().getMessage()),
                doubt.cause())));
  }

  /** Joins again on the new base, unless the ledger itself moved: then the plan is out of date. */
  private Step fenced(TargetPlan plan, Target target, String reason, boolean last) {
    LOG.info("fenced target={} reason=\"{}\"", plan.target(), reason);
    target.refresh();
    if (last || !standsAtStart(target.ledger(), plan.ranges())) {
      return failed(plan, ErrorCode.FENCED, reason);
    }
    return new Step.Again();
  }

  private static boolean standsAtStart(Ledger ledger, List<SourceRange> ranges) {
    return ranges.stream()
        .allMatch(
            range ->
                ledger
                    .progress(range.partition())
                    .map(SourceProgress::nextOffset)
                    .map(next -> next == range.from())
                    .orElse(true));
  }

  private static Step failed(TargetPlan plan, ErrorCode code, String message) {
    return new Step.Done(
        new TargetResult.Failed(
            plan.target(), new OncebergException(code, plan.target() + ": " + message)));
  }

  private static TargetReport report(TargetPlan plan, BatchId batch, Counts counts) {
    return new TargetReport(
        plan.target(),
        batch,
        counts.of(Outcome.READ),
        counts.of(Outcome.ROW),
        counts.of(Outcome.IN_BATCH),
        counts.of(Outcome.CONNECTOR_REPLAY),
        counts.of(Outcome.SNAPSHOT_OVERLAP),
        counts.of(Outcome.CONFLICT_DROPPED),
        counts.quarantined(),
        counts.of(Outcome.QUARANTINED_BEFORE),
        counts.of(Outcome.TOMBSTONE),
        counts.control(),
        counts.checkedBeyondHorizon());
  }
}
