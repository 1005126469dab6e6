package io.onceberg.ingest.ops;

import io.onceberg.error.OncebergException;
import io.onceberg.keystore.TargetName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the daemon does its work, which is not whether it runs: it is unhealthy when a target has
 * been stopped, when records of a target have waited longer than a limit without a commit of that
 * target, or when nothing has worked for so long. A target with nothing to read is healthy however
 * old its last commit is. Time is that which passes, not the clock's.
 *
 * <p>The loop tells it what happens, any thread may ask.
 */
public final class Health {
  private static final Logger LOG = LoggerFactory.getLogger(Health.class);

  private final Duration limit;
  private final LongSupplier nanoTime;

  /** Since when each target that has records to read waits for a commit, nanoseconds. */
  private final Map<TargetName, Long> waiting = new HashMap<>();

  private final Map<String, String> stopped = new TreeMap<>();
  private @Nullable OncebergException failure;
  private long failingSince;
  private boolean saidUnhealthy;

  /**
   * Begins healthy.
   *
   * @param limit how long records may wait for a commit
   * @param nanoTime such as {@code System::nanoTime}
   */
  public Health(Duration limit, LongSupplier nanoTime) {
    this.limit = limit;
    this.nanoTime = nanoTime;
  }

  /** These targets have records to read now, and the others have not. */
  public synchronized void planned(Set<TargetName> behind) {
    waiting.keySet().retainAll(behind);
    long now = nanoTime.getAsLong();
    behind.forEach(target -> waiting.putIfAbsent(target, now));
  }

  /** A batch of a target is in its tables; if more waits, it has waited since now. */
  public synchronized void committed(TargetName target) {
    waiting.remove(target);
  }

  /** A target is read no further. */
  public synchronized void stopped(TargetName target, OncebergException error) {
    waiting.remove(target);
    stopped.put(target.toString(), error.code().label());
  }

  /** A plan or a batch as a whole did not work and will be tried again. */
  public synchronized void failing(OncebergException error) {
    if (failure == null) {
      failingSince = nanoTime.getAsLong();
    }
    failure = error;
  }

  /** A plan or a batch has worked. */
  public synchronized void works() {
    failure = null;
  }

  /** What is wrong now, a line for each; empty when healthy. */
  public synchronized List<String> complaints() {
    long now = nanoTime.getAsLong();
    List<String> complaints = new ArrayList<>();
    stopped.forEach(
        (target, label) -> complaints.add("%s is stopped: %s".formatted(target, label)));
    waiting.entrySet().stream()
        .filter(entry -> isTooLong(now - entry.getValue()))
        .map(
            entry ->
                "records of %s have waited %d s for a commit"
                    .formatted(entry.getKey(), seconds(now - entry.getValue())))
        .sorted()
        .forEach(complaints::add);
    if (failure != null && isTooLong(now - failingSince)) {
      complaints.add(
          "nothing has worked for %d s: %s"
              .formatted(seconds(now - failingSince), failure.code().label()));
    }
    return complaints;
  }

  private boolean isTooLong(long nanos) {
    return Duration.ofNanos(nanos).compareTo(limit) > 0;
  }

  private static long seconds(long nanos) {
    return Duration.ofNanos(nanos).toSeconds();
  }

  /** Logs when it becomes unhealthy and when it is healthy again. */
  public void logChanges() {
    List<String> complaints = complaints();
    if (complaints.isEmpty() && saidUnhealthy) {
      LOG.info("healthy again");
    } else if (!complaints.isEmpty() && !saidUnhealthy) {
      LOG.warn("unhealthy: {}", String.join("; ", complaints));
    }
    saidUnhealthy = !complaints.isEmpty();
  }
}
