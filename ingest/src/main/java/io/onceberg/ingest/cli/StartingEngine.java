package io.onceberg.ingest.cli;

import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.sink.BatchEngine;
import io.onceberg.ingest.sink.BatchPlan;
import io.onceberg.ingest.sink.SparkBatchEngine;
import io.onceberg.ingest.sink.SparkSessions;
import io.onceberg.ingest.sink.TargetResult;
import io.onceberg.ingest.sink.Targets;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An engine whose Spark starts while Kafka and the catalog are asked already, so that a wrong
 * setting is told at once. The first batch waits for it.
 */
final class StartingEngine implements BatchEngine, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StartingEngine.class);

  /** Spark starts in two to four seconds here; with this the daemon still ends within ten. */
  private static final Duration START = Duration.ofSeconds(8);

  private record Opened(SparkSession spark, SparkBatchEngine engine) {}

  private final FutureTask<Opened> opening;

  StartingEngine(DaemonConfig config, Targets targets) {
    opening =
        new FutureTask<>(
            () -> {
              SparkSession spark = SparkSessions.open(config.catalog(), config.spark());
              return new Opened(spark, new SparkBatchEngine(spark, targets, config));
            });
    Thread starter = new Thread(opening, "onceberg-spark-start");
    starter.setDaemon(true);
    starter.start();
  }

  @Override
  public List<TargetResult> run(BatchPlan plan) {
    return opened().engine().run(plan);
  }

  private Opened opened() {
    try {
      return opening.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("Spark did not start: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CancellationException end = new CancellationException("interrupted while Spark started");
      end.initCause(e);
      throw end;
    }
  }

  /** Cancels what Spark is doing; the batch in work ends with an error and commits nothing. */
  void cancelJobs() {
    if (opening.isDone()) {
      opened().spark().sparkContext().cancelAllJobs();
    }
  }

  /**
   * Closes Spark. One that is still starting is waited for a while: it would complain in the log of
   * a program that ends under its feet, beside the error the user is to read.
   */
  @Override
  public void close() throws IOException {
    if (isStarted()) {
      opened().engine().close();
      opened().spark().close();
    }
  }

  /** Whether Spark is open, or is so within a few seconds. */
  private boolean isStarted() {
    try {
      opening.get(START.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException e) {
      LOG.warn("Spark did not start", e.getCause());
    } catch (TimeoutException e) {
      LOG.info("ending although Spark is still starting");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }
}
