package io.onceberg.it.demo;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What lies in the demo's topics. */
final class TopicReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  private final String bootstrapServers;
  private final Admin admin;

  TopicReader(String bootstrapServers, Admin admin) {
    this.bootstrapServers = bootstrapServers;
    this.admin = admin;
  }

  /** The offset after the last record, for each partition of the topics that exist. */
  Map<TopicPartition, Long> ends(Collection<String> topics) {
    Map<TopicPartition, OffsetSpec> asked =
        topics.stream()
            .filter(wait(admin.listTopics().names())::contains)
            .flatMap(topic -> partitions(topic).stream())
            .collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest()));
    Map<TopicPartition, Long> ends = new HashMap<>();
    Map<TopicPartition, ListOffsetsResultInfo> found = wait(admin.listOffsets(asked).all());
    found.forEach((partition, info) -> ends.put(partition, info.offset()));
    return ends;
  }

  /** How many records the topics hold; capture writes without transactions, so none is hidden. */
  long records(Collection<String> topics) {
    return ends(topics).values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many records a consumer group has not taken yet. */
  long lag(String group, Collection<String> topics) {
    Map<TopicPartition, Long> taken = new HashMap<>();
    wait(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
        .forEach((p, o) -> taken.put(p, o == null ? 0 : o.offset()));
    return ends(topics).entrySet().stream()
        .mapToLong(end -> end.getValue() - taken.getOrDefault(end.getKey(), 0L))
        .sum();
  }

  /** Follows a topic from its present end. */
  Tail tail(String topic) {
    Map<TopicPartition, Long> ends = ends(List.of(topic));
    KafkaConsumer<byte[], byte[]> consumer = consumer();
    consumer.assign(ends.keySet());
    ends.forEach(consumer::seek);
    return new Tail(consumer);
  }

  /** The records that come to a topic. */
  record Tail(KafkaConsumer<byte[], byte[]> consumer) implements AutoCloseable {
    /** Whether one of the records that have come since the last call contains a text. */
    boolean sees(String text) {
      boolean seen = false;
      for (ConsumerRecord<byte[], byte[]> event : consumer.poll(POLL)) {
        byte[] value = event.value();
        seen |= value != null && new String(value, StandardCharsets.UTF_8).contains(text);
      }
      return seen;
    }

    @Override
    public void close() {
      consumer.close();
    }
  }

  /** Hands over every record of a topic. */
  void read(String topic, Consumer<ConsumerRecord<byte[], byte[]>> reader) {
    Map<TopicPartition, Long> ends = ends(List.of(topic));
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      consumer.assign(ends.keySet());
      consumer.seekToBeginning(ends.keySet());
      while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
        consumer.poll(POLL).forEach(reader);
      }
    }
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    return new KafkaConsumer<>(
        Map.<String, Object>of("bootstrap.servers", bootstrapServers),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  private List<TopicPartition> partitions(String topic) {
    TopicDescription description =
        wait(admin.describeTopics(List.of(topic)).topicNameValues().values().iterator().next());
    return description.partitions().stream()
        .map(p -> new TopicPartition(topic, p.partition()))
        .toList();
  }

  private static <T> T wait(KafkaFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw new DemoFailure("Kafka does not answer: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DemoFailure("interrupted", e);
    }
  }

  @Override
  public void close() {
    admin.close();
  }
}
