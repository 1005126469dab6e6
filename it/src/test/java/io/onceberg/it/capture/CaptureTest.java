package io.onceberg.it.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.onceberg.error.OncebergException;
import io.onceberg.ingest.capture.Capture;
import io.onceberg.ingest.config.CaptureConfig;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.LocalPostgres;
import io.onceberg.it.stack.SharedStack;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CaptureTest {
  private final LocalKafka kafka = SharedStack.kafka();
  private final LocalPostgres postgres = SharedStack.postgres();
  private final String name = SharedStack.uniqueName("capture");
  private final String topic = name + ".public.orders";
  @TempDir private @Nullable Path directory;

  @BeforeEach
  void databaseWithOneRow() throws SQLException {
    postgres.createDatabase(name);
    sql("create table orders (id bigint primary key, note text)", "insert into orders values (1)");
  }

  @Test
  void eachChangeArrivesInTheFormOfConnect() throws Exception {
    Capture capture = new Capture(CaptureConfig.of(config()));
    CompletableFuture<Void> running = start(capture);
    awaitRecords(1);
    sql("update orders set note = 'a'", "delete from orders");
    List<ConsumerRecord<byte[], byte[]>> records = awaitRecords(4);
    capture.stop();
    running.join();

    assertThat(records).extracting(CaptureTest::op).containsExactly("r", "u", "d", "tombstone");
    assertThat(text(records.get(0).key())).contains("\"schema\"", "\"payload\":{\"id\":1}");
    assertThat(text(records.get(1).value())).contains("\"data_collection_order\":1");
    assertThat(read(name + ".transaction")).isNotEmpty();
    assertThat(partitions()).isEqualTo(3);
  }

  @Fault(
      area = Area.SOURCE,
      what = "the capture is started again",
      outcome = "it goes on where it stopped")
  @Test
  void goesOnWhereItStopped() throws Exception {
    Capture first = new Capture(CaptureConfig.of(config()));
    CompletableFuture<Void> running = start(first);
    awaitRecords(1);
    first.stop();
    running.join();
    sql("insert into orders values (2)");
    Capture second = new Capture(CaptureConfig.of(config()));
    CompletableFuture<Void> again = start(second);
    List<ConsumerRecord<byte[], byte[]>> records = awaitRecords(2);
    second.stop();
    again.join();
    assertThat(records).extracting(CaptureTest::op).containsExactlyInAnyOrder("r", "c");
  }

  /** What happened in between is in no WAL that the slot still holds: nothing may go on. */
  @Fault(
      area = Area.SOURCE,
      what = "the replication slot is dropped, and made again or not, with changes in between",
      outcome =
          "OB-601 says that the stored position is gone, the capture stops: no gap without an alarm",
      cases = Case.B5)
  @ParameterizedTest(name = "made again: {0}")
  @ValueSource(booleans = {false, true})
  void slotDroppedWithChangesInBetween(boolean madeAgain) throws Exception {
    Capture first = new Capture(CaptureConfig.of(config()));
    CompletableFuture<Void> running = start(first);
    awaitRecords(1);
    sql("insert into orders values (2)");
    awaitRecords(2);
    first.stop();
    running.join();
    sql("select pg_drop_replication_slot('%s')".formatted(name), "insert into orders values (3)");
    if (madeAgain) {
      sql("select pg_create_logical_replication_slot('%s', 'pgoutput')".formatted(name));
    }
    sql("insert into orders values (4)");
    assertThatThrownBy(
            () -> start(new Capture(CaptureConfig.of(config()))).get(30, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(OncebergException.class)
        .hasMessageStartingWith("OB-601")
        .hasMessageContaining("no longer available");
    assertThat(read(topic)).hasSize(2);
  }

  @Fault(
      area = Area.SOURCE,
      what = "the connector cannot read from the database",
      outcome = "OB-601, the capture stops")
  @Test
  void connectorThatCannotReadEndsWithItsNumber() {
    Map<String, String> config = config();
    config.put("debezium.database.password", "wrong");
    assertThatThrownBy(start(new Capture(CaptureConfig.of(config)))::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(OncebergException.class)
        .hasMessageStartingWith("OB-601")
        .hasMessageContaining("password authentication failed");
  }

  @Fault(
      area = Area.OUT_OF_REACH,
      what = "no broker answers the capture",
      outcome = "OB-201, the capture stops")
  @Test
  void brokerThatDoesNotAnswerEndsWithItsNumber() {
    Map<String, String> config = config();
    config.put("kafka.bootstrap.servers", "127.0.0.1:1");
    config.put("kafka.default.api.timeout.ms", "1500");
    config.put("kafka.request.timeout.ms", "1000");
    assertThatThrownBy(start(new Capture(CaptureConfig.of(config)))::join)
        .cause()
        .hasMessageStartingWith("OB-201");
  }

  private static CompletableFuture<Void> start(Capture capture) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            capture.run();
          } catch (InterruptedException e) {
            throw new CompletionException(e);
          }
        });
  }

  private Map<String, String> config() {
    Map<String, String> config = new TreeMap<>();
    config.put("kafka.bootstrap.servers", kafka.bootstrapServers());
    config.put("capture.topic.partitions", "3");
    config.put("capture.data.dir", String.valueOf(directory));
    config.put("debezium.topic.prefix", name);
    config.put("debezium.slot.name", name);
    config.put("debezium.publication.name", name);
    config.put("debezium.database.hostname", "127.0.0.1");
    config.put("debezium.database.port", String.valueOf(postgres.port()));
    config.put("debezium.database.user", postgres.user());
    config.put("debezium.database.password", postgres.password());
    config.put("debezium.database.dbname", name);
    return config;
  }

  private void sql(String... statements) throws SQLException {
    try (Connection connection = postgres.connect(name);
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }

  private List<ConsumerRecord<byte[], byte[]>> awaitRecords(int count) {
    return await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> read(topic), records -> records.size() >= count);
  }

  private List<ConsumerRecord<byte[], byte[]>> read(String from) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.<String, Object>of("bootstrap.servers", kafka.bootstrapServers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      if (!consumer.listTopics().containsKey(from)) {
        return records;
      }
      List<TopicPartition> partitions =
          consumer.partitionsFor(from).stream()
              .map(p -> new TopicPartition(from, p.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.getOrDefault(p, 0L))) {
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
      }
    }
    return records;
  }

  private int partitions() throws Exception {
    try (Admin admin = kafka.admin()) {
      return admin
          .describeTopics(List.of(topic))
          .topicNameValues()
          .values()
          .iterator()
          .next()
          .get()
          .partitions()
          .size();
    }
  }

  private static String op(ConsumerRecord<byte[], byte[]> record) {
    if (record.value() == null) {
      return "tombstone";
    }
    return text(record.value()).replaceFirst("(?s).*\"op\":\"(.)\".*", "$1");
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
