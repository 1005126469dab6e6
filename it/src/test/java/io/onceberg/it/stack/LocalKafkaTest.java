package io.onceberg.it.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalKafkaTest {
  @Test
  void topicsKeepIdAndRecordsOverKill(@TempDir Path directory) throws Exception {
    try (LocalKafka kafka = LocalKafka.builder().directory(directory).start();
        Admin admin = kafka.admin();
        KafkaProducer<String, String> producer = producer(kafka)) {
      admin.createTopics(List.of(new NewTopic("t", Optional.of(3), Optional.empty()))).all().get();
      TopicDescription before = describe(admin, "t");
      assertThat(before.topicId()).isNotEqualTo(Uuid.ZERO_UUID);
      assertThat(before.partitions()).hasSize(3);
      long first = producer.send(new ProducerRecord<>("t", 0, "k", "v")).get().offset();
      kafka.kill();
      kafka.restart();
      long second = producer.send(new ProducerRecord<>("t", 0, "k", "v")).get().offset();
      assertThat(describe(admin, "t").topicId()).isEqualTo(before.topicId());
      assertThat(List.of(first, second)).containsExactly(0L, 1L);
    }
  }

  @Test
  void brokerThatCannotStartSaysWhy() {
    LocalKafka.Builder refused = LocalKafka.builder().set("log.retention.bytes", "many");
    assertThatThrownBy(refused::start)
        .isInstanceOf(StackException.class)
        .hasMessageContaining("log.retention.bytes");
  }

  private static TopicDescription describe(Admin admin, String topic) throws Exception {
    return admin.describeTopics(List.of(topic)).topicNameValues().values().iterator().next().get();
  }

  private static KafkaProducer<String, String> producer(LocalKafka kafka) {
    return new KafkaProducer<>(
        Map.<String, Object>of("bootstrap.servers", kafka.bootstrapServers()),
        new StringSerializer(),
        new StringSerializer());
  }
}
