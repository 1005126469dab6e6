package io.onceberg.ingest.sink;

import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.keystore.KeyCompacted;
import io.onceberg.keystore.KeyProgress;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.Warehouse;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs batches and, once a target's first batch of a day has landed, has the keys of the days
 * before merged: those days get no more keys, so it is done once. One target after the other,
 * beside the batches, through a catalog of its own, in commits of their own that a batch steps
 * over. A merge that fails is said and tried again the next day; ingest does not need it.
 */
public final class PastDays implements BatchEngine, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PastDays.class);

  /** How long the end waits for a merge to give up. */
  private static final long LAST_WORD_SECONDS = 5;

  private final BatchEngine engine;
  private final DaemonConfig config;
  private final ExecutorService beside = Executors.newSingleThreadExecutor(PastDays::thread);
  private final Map<TargetName, Integer> seen = new HashMap<>();
  private volatile boolean ending;

  /**
   * Begins nothing yet.
   *
   * @param engine runs the batches
   */
  public PastDays(BatchEngine engine, DaemonConfig config) {
    this.engine = engine;
    this.config = config;
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "onceberg-past-days");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public List<TargetResult> run(BatchPlan plan) {
    List<TargetResult> results = engine.run(plan);
    int today = (int) LocalDate.ofInstant(plan.referenceTime(), ZoneOffset.UTC).toEpochDay();
    for (TargetResult result : results) {
      if (result instanceof TargetResult.Landed
          && seen.getOrDefault(result.target(), Integer.MIN_VALUE) < today) {
        seen.put(result.target(), today);
        beside.execute(() -> merge(result.target(), today));
      }
    }
    return results;
  }

  private void merge(TargetName target, int today) {
    long start = System.nanoTime();
    try (Warehouse warehouse = Warehouse.open(config.catalog())) {
      warehouse
          .keys(config.target(target).table())
          .compactBefore(today, progress(), merged -> say(target, merged, start));
    } catch (CancellationException e) {
      LOG.debug("merging keys of {} given up because the daemon ends", target, e);
    } catch (OncebergException e) {
      if (!ending) {
        LOG.warn(
            "keys of past days of {} are not merged, so lookups meet more files of them: {}; tried again"
                + " tomorrow, or by onceberg keys compact",
            target,
            e.getMessage());
      }
    } catch (RuntimeException e) {
      LOG.error("a fault of the program while keys of past days of {} were merged", target, e);
    }
  }

  private KeyProgress progress() {
    return (step, done, total) -> {
      if (ending) {
        throw new CancellationException("the daemon ends");
      }
    };
  }

  private static void say(TargetName target, KeyCompacted.Merged merged, long start) {
    LOG.info(
        "keys of {} of {} merged: {} files to {}, {} keys, {} ms",
        merged.day(),
        target,
        merged.files(),
        merged.into(),
        merged.keys(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
  }

  /** Gives up a merge that is at work; what was committed stays. */
  @Override
  public void close() {
    ending = true;
    beside.shutdownNow();
    try {
      if (!beside.awaitTermination(LAST_WORD_SECONDS, TimeUnit.SECONDS)) {
        LOG.debug("merging keys of past days has not ended yet");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
