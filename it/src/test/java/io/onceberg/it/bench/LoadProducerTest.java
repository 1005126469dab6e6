package io.onceberg.it.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.bench.LoadProducer.Produced;
import io.onceberg.it.stack.SharedStack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

class LoadProducerTest {
  private static final int EVENTS = 5_000;

  @Test
  void topicHoldsTheStreamAndARepeatedStretchIsTheSameEvents() {
    String bootstrap = SharedStack.kafka().bootstrapServers();
    String topic = SharedStack.uniqueName("load");
    LoadProducer producer =
        new LoadProducer(bootstrap, topic, 3, () -> new JsonEventEncoder(false));
    producer.createTopic();
    Produced first = producer.produce(0, EVENTS);
    producer.produce(1_000, 2_000);
    assertThat(first.events()).isEqualTo(EVENTS);

    List<ConsumerRecord<byte[], byte[]>> records = readAll(bootstrap, topic, EVENTS + 1_000);
    assertThat(records).hasSize(EVENTS + 1_000);
    Map<String, Integer> partitions = new HashMap<>();
    Map<String, Integer> copies = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      String key = new String(record.key(), UTF_8);
      assertThat(partitions.merge(key, record.partition(), (a, b) -> b))
          .isEqualTo(record.partition());
      copies.merge(new String(record.value(), UTF_8), 1, Integer::sum);
    }
    JsonEventEncoder encoder = new JsonEventEncoder(false);
    ChangeStream stream = new ChangeStream(3);
    for (int i = 0; i < EVENTS; i++) {
      String value = new String(encoder.value(stream.next()), UTF_8);
      assertThat(copies).containsEntry(value, i >= 1_000 && i < 2_000 ? 2 : 1);
    }
    assertThat(partitions.values()).contains(0, 1, 2, 3);
  }

  private static List<ConsumerRecord<byte[], byte[]>> readAll(
      String bootstrap, String topic, int count) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> all =
          IntStream.range(0, LoadProducer.PARTITIONS)
              .mapToObj(partition -> new TopicPartition(topic, partition))
              .toList();
      consumer.assign(all);
      consumer.seekToBeginning(all);
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      while (records.size() < count) {
        consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
      }
      return records;
    }
  }
}
