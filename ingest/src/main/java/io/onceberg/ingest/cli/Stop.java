package io.onceberg.ingest.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the daemon within ten seconds of being asked: the batch in work may finish; if it takes too
 * long its job is cancelled, which leaves nothing behind since nothing was committed; if even that
 * does not help, the process is ended, which is as safe as a crash.
 */
final class Stop {
  private static final Logger LOG = LoggerFactory.getLogger(Stop.class);
  private static final Duration FINISH = Duration.ofSeconds(5);
  private static final Duration CANCEL = Duration.ofSeconds(3);
  private static final int HALTED = 1;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Runnable cancelJobs;

  Stop(Runnable cancelJobs) {
    this.cancelJobs = cancelJobs;
  }

  /** Counted down when the daemon is to end. */
  CountDownLatch asked() {
    return asked;
  }

  boolean isAsked() {
    return asked.getCount() == 0;
  }

  /** Asks the daemon to end; asked twice, the process ends at once. */
  synchronized void ask() {
    if (isAsked()) {
      Runtime.getRuntime().halt(HALTED);
    }
    LOG.info("asked to end");
    asked.countDown();
    Thread watch = new Thread(this::watch, "onceberg-stop");
    watch.setDaemon(true);
    watch.start();
  }

  /** Says that the daemon has ended. */
  void ended() {
    ended.countDown();
  }

  private void watch() {
    try {
      if (ended.await(FINISH.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
      LOG.info("the batch in work takes long; it is cancelled");
      cancelJobs.run();
      if (!ended.await(CANCEL.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("ending at once; the next start settles what was in work");
        Runtime.getRuntime().halt(HALTED);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
