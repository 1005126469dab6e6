package io.onceberg.ingest.source;

import io.onceberg.keystore.Ledger;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows progress as consumer group offsets, a courtesy for lag monitors. Nothing is ever read from
 * them, so a failure is only said, once until it works again. One request is under way at a time:
 * two could take effect in the wrong order.
 */
public final class GroupOffsets {
  private static final Logger LOG = LoggerFactory.getLogger(GroupOffsets.class);

  private final Admin admin;
  private final String group;
  private Map<TopicPartition, OffsetAndMetadata> waiting = new HashMap<>();
  private CompletableFuture<Void> idle = CompletableFuture.completedFuture(null);
  private boolean failing;

  GroupOffsets(Admin admin, String group) {
    this.admin = admin;
    this.group = group;
  }

  /** Sets the offsets to where a target stands; returns at once. */
  public synchronized void show(Ledger ledger) {
    ledger
        .progress()
        .forEach(
            (partition, progress) ->
                waiting.put(
                    new TopicPartition(partition.topic(), partition.partition()),
                    new OffsetAndMetadata(progress.nextOffset())));
    if (idle.isDone()) {
      idle = new CompletableFuture<>();
      send();
    }
  }

  private void send() {
    Map<TopicPartition, OffsetAndMetadata> offsets = waiting;
    waiting = new HashMap<>();
    var unused =
        admin
            .alterConsumerGroupOffsets(group, offsets)
            .all()
            .whenComplete((done, failure) -> settle(failure));
  }

  private synchronized void settle(@Nullable Throwable failure) {
    if (failure != null && !failing) {
      LOG.warn(
          "the offsets of group {} could not be set, lag monitors will be behind: {}",
          group,
          failure.getMessage());
    }
    failing = failure != null;
    if (waiting.isEmpty()) {
      idle.complete(null);
    } else {
      send();
    }
  }

  /** Waits until everything was shown or could not be, at the end of the daemon. */
  public void await(Duration atMost) {
    try {
      idle().get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("the last offsets of group {} were not shown", group, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized CompletableFuture<Void> idle() {
    return idle;
  }
}
