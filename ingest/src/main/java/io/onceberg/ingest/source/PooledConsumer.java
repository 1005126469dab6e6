package io.onceberg.ingest.source;

import io.onceberg.keystore.SourcePartition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer that stays at its partition between two batches. Records that it fetched beyond the
 * end of a range are kept, since the next batch begins with them.
 */
final class PooledConsumer {
  private static final Logger LOG = LoggerFactory.getLogger(PooledConsumer.class);

  private final Map<String, Object> properties;
  private final Consumer<byte[], byte[]> consumer;
  private final ArrayDeque<ConsumerRecord<byte[], byte[]>> leftOver = new ArrayDeque<>();
  private @Nullable SourcePartition partition;
  private long next;

  PooledConsumer(Map<String, Object> properties, String clientId) {
    this.properties = properties;
    Map<String, Object> named = new HashMap<>(properties);
    named.put("client.id", clientId);
    this.consumer =
        new KafkaConsumer<>(named, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  Map<String, Object> properties() {
    return properties;
  }

  /** Whether the next record it would hand out is this one. */
  boolean standsAt(SourcePartition where, long offset) {
    return where.equals(partition) && next == offset;
  }

  /** Makes this offset, or the first after it that exists, the next. */
  void moveTo(SourcePartition where, long offset) {
    if (standsAt(where, offset)) {
      return;
    }
    TopicPartition assigned = new TopicPartition(where.topic(), where.partition());
    if (!where.equals(partition)) {
      consumer.assign(List.of(assigned));
    }
    leftOver.clear();
    consumer.seek(assigned, offset);
    partition = where;
    next = offset;
  }

  /**
   * The next records below {@code until}; possibly none although more may come. Afterwards {@link
   * #next} tells how far it got.
   */
  List<ConsumerRecord<byte[], byte[]>> poll(long until, Duration timeout) {
    if (leftOver.isEmpty()) {
      consumer.poll(timeout).forEach(leftOver::add);
    }
    List<ConsumerRecord<byte[], byte[]>> taken = new ArrayList<>(leftOver.size());
    while (!leftOver.isEmpty() && leftOver.peekFirst().offset() < until) {
      taken.add(leftOver.removeFirst());
    }
    next = leftOver.isEmpty() ? Math.min(until, consumer.position(assigned())) : until;
    return taken;
  }

  /** The first offset that has not been handed out; offsets without a record may lie before it. */
  long next() {
    return next;
  }

  /** The first offset that Kafka still has. */
  long beginning(SourcePartition where, Duration timeout) {
    TopicPartition asked = new TopicPartition(where.topic(), where.partition());
    return consumer.beginningOffsets(List.of(asked), timeout).getOrDefault(asked, 0L);
  }

  private TopicPartition assigned() {
    SourcePartition where = partition;
    if (where == null) {
      throw new IllegalStateException("no partition is assigned");
    }
    return new TopicPartition(where.topic(), where.partition());
  }

  void close() {
    try {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    } catch (InterruptException e) {
      LOG.debug("interrupted while closing a consumer", e);
    }
  }
}
