package io.onceberg.it.source;

import io.onceberg.ingest.source.RangeReader;
import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.SharedStack;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceRange;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A topic of a test's own, and what can happen to it. */
public final class TestTopic implements AutoCloseable {
  private final LocalKafka kafka;
  private final Admin admin;
  private final KafkaProducer<String, String> producer;
  private final String name;

  private TestTopic(LocalKafka kafka, String name) {
    this.kafka = kafka;
    this.name = name;
    this.admin = kafka.admin();
    this.producer = producer(Map.of());
  }

  public static TestTopic create(LocalKafka kafka, int partitions, Map<String, String> config) {
    return create(kafka, SharedStack.uniqueName("topic"), partitions, config);
  }

  public static TestTopic create(
      LocalKafka kafka, String name, int partitions, Map<String, String> config) {
    TestTopic topic = new TestTopic(kafka, name);
    topic.create(partitions, config);
    return topic;
  }

  private void create(int partitions, Map<String, String> config) {
    NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(config);
    done(admin.createTopics(List.of(topic)).all());
    Awaitility.await().until(() -> isThere());
  }

  /** Deletes the topic and makes it again, empty and with another id. */
  public void recreate(int partitions) {
    delete();
    create(partitions, Map.of());
  }

  public void delete() {
    done(admin.deleteTopics(List.of(name)).all());
    Awaitility.await().until(() -> !isThere());
  }

  private boolean isThere() throws Exception {
    return admin.listTopics().names().get().contains(name);
  }

  public String name() {
    return name;
  }

  public String id() {
    return done(admin.describeTopics(List.of(name)).topicNameValues().get(name))
        .topicId()
        .toString();
  }

  public SourcePartition partition(int number) {
    return new SourcePartition(name, number);
  }

  public SourceRange range(int partition, long from, long until) {
    return new SourceRange(partition(partition), id(), from, until);
  }

  /** Sends one record and returns its offset. */
  public long send(int partition, String key, @Nullable String value) {
    return done(producer.send(new ProducerRecord<>(name, partition, key, value))).offset();
  }

  /** Sends records {@code from} to {@code until}, key and value being the number. */
  public void sendNumbers(int partition, int from, int until) {
    for (int i = from; i < until; i++) {
      var unused =
          producer.send(
              new ProducerRecord<>(name, partition, String.valueOf(i), String.valueOf(i)));
    }
    producer.flush();
  }

  /** Sends values in one transaction. */
  public void transaction(boolean commit, int partition, String... values) {
    transactions(1, commit, partition, values);
  }

  /** Sends the values in one transaction, then again in the next, and so on. */
  public void transactions(int times, boolean commit, int partition, String... values) {
    try (KafkaProducer<String, String> transactional = transactional()) {
      for (int i = 0; i < times; i++) {
        begin(transactional, partition, values);
        if (commit) {
          transactional.commitTransaction();
        } else {
          transactional.abortTransaction();
        }
      }
    }
  }

  /** Sends values in a transaction that stays open until what is returned is closed. */
  public AutoCloseable openTransaction(int partition, String... values) {
    KafkaProducer<String, String> transactional = transactional();
    begin(transactional, partition, values);
    return transactional;
  }

  private KafkaProducer<String, String> transactional() {
    KafkaProducer<String, String> transactional =
        producer(Map.of("transactional.id", SharedStack.uniqueName("tx")));
    transactional.initTransactions();
    return transactional;
  }

  private void begin(KafkaProducer<String, String> transactional, int partition, String... values) {
    transactional.beginTransaction();
    for (String value : values) {
      var unused = transactional.send(new ProducerRecord<>(name, partition, value, value));
    }
    transactional.flush();
  }

  /** Deletes the records below an offset, as retention does. */
  public void deleteBelow(int partition, long offset) {
    done(
        admin
            .deleteRecords(
                Map.of(new TopicPartition(name, partition), RecordsToDelete.beforeOffset(offset)))
            .all());
  }

  public void growTo(int partitions) {
    done(admin.createPartitions(Map.of(name, NewPartitions.increaseTo(partitions))).all());
    Awaitility.await()
        .until(
            () ->
                done(admin.describeTopics(List.of(name)).topicNameValues().get(name))
                        .partitions()
                        .size()
                    == partitions);
  }

  private KafkaProducer<String, String> producer(Map<String, Object> more) {
    Map<String, Object> properties = new HashMap<>(more);
    properties.put("bootstrap.servers", kafka.bootstrapServers());
    return new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer());
  }

  private static <T> T done(@Nullable Future<T> future) {
    try {
      return Objects.requireNonNull(future).get(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
    admin.close(Duration.ZERO);
  }

  /** Keeps what a reader hands out, as text. */
  public static final class Collected implements RangeReader.Handler {
    final List<String> before = new ArrayList<>();
    final List<String> values = new ArrayList<>();
    final List<Long> offsets = new ArrayList<>();

    @Override
    public boolean wantsEarlier(ConsumerRecord<byte[], byte[]> first) {
      return first.value() == null;
    }

    @Override
    public boolean earlier(List<ConsumerRecord<byte[], byte[]>> window) {
      if (!window.isEmpty()) {
        before.add(text(window.get(window.size() - 1).value()));
      }
      return window.isEmpty();
    }

    @Override
    public void accept(ConsumerRecord<byte[], byte[]> record) {
      values.add(text(record.value()));
      offsets.add(record.offset());
    }

    private static String text(byte @Nullable [] bytes) {
      return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
    }
  }
}
