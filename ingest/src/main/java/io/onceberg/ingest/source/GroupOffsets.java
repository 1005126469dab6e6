package io.onceberg.ingest.source;

import io.onceberg.keystore.Ledger;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows progress as consumer group offsets, a courtesy for lag monitors. Nothing is ever read from
 * them, so a failure is only said, once until it works again.
 */
public final class GroupOffsets {
  private static final Logger LOG = LoggerFactory.getLogger(GroupOffsets.class);

  private final Admin admin;
  private final String group;
  private final AtomicBoolean failing = new AtomicBoolean();

  GroupOffsets(Admin admin, String group) {
    this.admin = admin;
    this.group = group;
  }

  /** Sets the offsets to where a target stands; returns at once. */
  public void show(Ledger ledger) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    ledger
        .progress()
        .forEach(
            (partition, progress) ->
                offsets.put(
                    new TopicPartition(partition.topic(), partition.partition()),
                    new OffsetAndMetadata(progress.nextOffset())));
    var unused =
        admin
            .alterConsumerGroupOffsets(group, offsets)
            .all()
            .whenComplete((done, failure) -> settle(failure));
  }

  private void settle(@Nullable Throwable failure) {
    if (failure == null) {
      failing.set(false);
    } else if (failing.compareAndSet(false, true)) {
      LOG.warn(
          "the offsets of group {} could not be set, lag monitors will be behind: {}",
          group,
          failure.getMessage());
    }
  }
}
