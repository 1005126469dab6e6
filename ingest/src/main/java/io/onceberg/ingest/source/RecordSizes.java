package io.onceberg.ingest.source;

import io.onceberg.ingest.config.KafkaSettings;
import io.onceberg.keystore.SourceRange;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The average size of a topic's records, by samples: Kafka tells how many records wait but not how
 * large they are. A topic is sampled when first read and again after many records.
 */
final class RecordSizes implements AutoCloseable {
  /** Assumed until a sample is there. */
  static final double UNKNOWN = 1_024;

  private static final Logger LOG = LoggerFactory.getLogger(RecordSizes.class);
  private static final long RECORDS_PER_SAMPLE = 1_000_000;
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private final Map<String, Double> averages = new HashMap<>();
  private final Map<String, Long> plannedSince = new HashMap<>();
  private final Consumer<byte[], byte[]> consumer;

  RecordSizes(KafkaSettings kafka) {
    Map<String, Object> properties = new HashMap<>(kafka.properties());
    properties.keySet().removeIf(name -> name.startsWith("group."));
    properties.put(ConsumerConfig.CLIENT_ID_CONFIG, "onceberg-sizes");
    properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, "131072");
    properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, "4194304");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    try {
      consumer =
          new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    } catch (KafkaException e) {
      throw KafkaErrors.numbered(e, "connecting", kafka.bootstrapServers());
    }
  }

  /** Bytes of key and value together. */
  double average(String topic) {
    return averages.getOrDefault(topic, UNKNOWN);
  }

  /** Takes note of what was planned, so that samples are renewed. */
  void planned(SourceRange range) {
    plannedSince.merge(range.partition().topic(), range.length(), Long::sum);
  }

  /** Samples the topics of these ranges that need it. Without an answer the old figure stands. */
  void sample(Collection<SourceRange> pending) {
    Map<TopicPartition, Long> starts = new HashMap<>();
    Set<String> topics = new HashSet<>();
    for (SourceRange range : pending) {
      String topic = range.partition().topic();
      if (isDue(topic) && topics.add(topic)) {
        starts.put(new TopicPartition(topic, range.partition().partition()), range.from());
      }
    }
    if (starts.isEmpty()) {
      return;
    }
    try {
      poll(starts, topics);
    } catch (OffsetOutOfRangeException e) {
      LOG.debug("offsets went away while sampling", e);
    } catch (KafkaException e) {
      LOG.debug("no sample of {}", topics, e);
    }
    topics.forEach(topic -> plannedSince.put(topic, 0L));
  }

  private boolean isDue(String topic) {
    Long planned = plannedSince.get(topic);
    return planned == null || planned >= RECORDS_PER_SAMPLE;
  }

  private void poll(Map<TopicPartition, Long> starts, Set<String> topics) {
    consumer.assign(starts.keySet());
    starts.forEach(consumer::seek);
    Set<String> open = new HashSet<>(topics);
    long started = System.nanoTime();
    while (!open.isEmpty() && System.nanoTime() - started < PATIENCE.toNanos()) {
      var records = consumer.poll(PATIENCE);
      for (TopicPartition partition : records.partitions()) {
        average(partition.topic(), records.records(partition));
        open.remove(partition.topic());
      }
    }
    consumer.assign(Set.of());
  }

  private void average(String topic, Collection<ConsumerRecord<byte[], byte[]>> records) {
    double mean =
        records.stream()
            .mapToLong(
                r -> Math.max(0, r.serializedKeySize()) + Math.max(0, r.serializedValueSize()))
            .average()
            .orElse(UNKNOWN);
    averages.merge(topic, Math.max(1, mean), (before, now) -> (before + now) / 2);
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(Duration.ZERO));
  }
}
