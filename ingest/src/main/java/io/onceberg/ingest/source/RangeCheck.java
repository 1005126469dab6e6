package io.onceberg.ingest.source;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.StartPolicy;
import io.onceberg.ingest.source.TopicState.Bounds;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceProgress;
import io.onceberg.keystore.SourceRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds a ledger against what Kafka has, and finds what is left to read. */
final class RangeCheck {
  private static final Logger LOG = LoggerFactory.getLogger(RangeCheck.class);

  private final StartPolicy start;
  private final Set<SourcePartition> announced = new HashSet<>();

  RangeCheck(StartPolicy start) {
    this.start = start;
  }

  /**
   * Everything that a target has not read yet, in order.
   *
   * @throws OncebergException OB-202 to OB-205 when its records are not there to be read
   */
  List<SourceRange> pending(Ledger ledger, List<String> topics, Map<String, TopicState> states) {
    List<SourceRange> ranges = new ArrayList<>();
    for (String topic : topics) {
      TopicState state = states.get(topic);
      if (state == null) {
        throw new OncebergException(
            ErrorCode.TOPIC_MISSING,
            "topic %s does not exist; create it, correct the setting topics, or start the connector"
                    .formatted(topic)
                + " first");
      }
      state
          .partitions()
          .forEach(
              (number, bounds) -> {
                SourcePartition partition = new SourcePartition(topic, number);
                long next = next(ledger, partition, state, bounds);
                if (next < bounds.end()) {
                  ranges.add(new SourceRange(partition, state.id(), next, bounds.end()));
                }
              });
    }
    return ranges;
  }

  private long next(Ledger ledger, SourcePartition partition, TopicState state, Bounds bounds) {
    Optional<SourceProgress> progress = ledger.progress(partition);
    progress.ifPresent(known -> checkId(partition, known, state));
    if (progress.isEmpty()) {
      return firstOf(ledger, partition, bounds);
    }
    long next = progress.get().nextOffset();
    if (next < bounds.begin()) {
      throw MissingOffsets.belowRetention(partition, next, bounds.begin(), null);
    }
    if (next > bounds.end()) {
      throw MissingOffsets.beyondEnd(partition, next, null);
    }
    return next;
  }

  private static void checkId(SourcePartition partition, SourceProgress known, TopicState state) {
    if (!known.topicId().equals(state.id())) {
      throw new OncebergException(
          ErrorCode.TOPIC_RECREATED,
          "topic %s was deleted and created again: committed up to offset %d of partition %d under"
                  .formatted(state.topic(), known.nextOffset(), partition.partition())
              + " id %s, now its id is %s; its offsets mean other records; route the topic to a"
                  .formatted(known.topicId(), state.id())
              + " new table (route.%s=...)".formatted(state.topic()));
    }
  }

  /** A partition that no batch has read: the topic is new, or it was given more partitions. */
  private long firstOf(Ledger ledger, SourcePartition partition, Bounds bounds) {
    if (bounds.begin() > 0 && start == StartPolicy.FAIL) {
      throw MissingOffsets.belowRetention(partition, 0, bounds.begin(), null);
    }
    if (bounds.end() > bounds.begin() && announced.add(partition)) {
      if (bounds.begin() > 0) {
        LOG.warn(
            "{} is new and starts at offset {}; Kafka no longer has [0, {})",
            partition,
            bounds.begin(),
            bounds.begin());
      } else if (ledger.lastBatch() != null) {
        LOG.info("{} is new and is read from its beginning", partition);
      }
    }
    return bounds.begin();
  }
}
