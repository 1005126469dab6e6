package io.onceberg.ingest.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class CaptureConfigTest {
  @Test
  void debeziumIsCompletedAndAlwaysSendsTransactions() {
    assertThat(with("debezium.slot.name", "s").debezium())
        .containsEntry("topic.prefix", "shop")
        .containsEntry("slot.name", "s")
        .containsEntry("plugin.name", "pgoutput")
        .containsEntry("provide.transaction.metadata", "true");
  }

  @Test
  void producerTakesSharedSettingsAndKeepsItsPromise() {
    assertThat(with("kafka.security.protocol", "SSL").producer())
        .containsEntry("bootstrap.servers", "localhost:9092")
        .containsEntry("security.protocol", "SSL")
        .containsEntry("acks", "all")
        .doesNotContainKey("group.id");
    assertThat(with("capture.producer.linger.ms", "50").producer())
        .containsEntry("linger.ms", "50");
  }

  @Test
  void offsetsInKafkaNeedOnlyTheStore() {
    String store = "org.apache.kafka.connect.storage.KafkaOffsetBackingStore";
    assertThat(with("debezium.offset.storage", store).debezium())
        .containsEntry("bootstrap.servers", "localhost:9092")
        .containsEntry("offset.storage.partitions", "1");
  }

  @Test
  void whatCannotBeUsedIsRefusedByNumber() {
    assertThatThrownBy(() -> with("capture.topic.partition", "3"))
        .hasMessageStartingWith("OB-101")
        .hasMessageContaining("capture.topic.partitions");
    assertThatThrownBy(() -> with("capture.topic.partitions", "none"))
        .hasMessageStartingWith("OB-102");
    assertThatThrownBy(() -> with("capture.producer.acks", "0")).hasMessageStartingWith("OB-102");
    assertThatThrownBy(() -> with("debezium.provide.transaction.metadata", "false"))
        .hasMessageStartingWith("OB-102");
    assertThatThrownBy(() -> CaptureConfig.of(Map.of("kafka.bootstrap.servers", "localhost:9092")))
        .hasMessageStartingWith("OB-103");
  }

  @Test
  void theSettingsOfTheDaemonMayStandInTheSameFile() {
    assertThat(with("topics", "shop.public.orders").partitions()).isEqualTo(1);
  }

  private static CaptureConfig with(String name, String value) {
    Map<String, String> texts = new TreeMap<>();
    texts.put("kafka.bootstrap.servers", "localhost:9092");
    texts.put("kafka.group.id", "g");
    texts.put("debezium.topic.prefix", "shop");
    texts.put(name, value);
    return CaptureConfig.of(texts);
  }
}
