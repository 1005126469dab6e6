package io.onceberg.it.faults;

import io.onceberg.it.catalog.RestCatalogServer;
import io.onceberg.it.platform.Tables;
import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.SharedStack;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A source with two tables: orders in two partitions, payments in one. It remembers what it sent,
 * so that the tables can be held against it; each event has a position of its own.
 */
final class Shop implements AutoCloseable {
  static final String ORDERS = "orders";
  static final String PAYMENTS = "payments";

  /** How events are written, and the settings that the daemon needs to read them. */
  interface Encoding {
    byte[] key(String topic, long id);

    byte[] value(String topic, long id, String table);

    Map<String, String> settings();
  }

  private record Sent(String table, int partition, long lsn, byte[] key, byte[] value) {}

  private final LocalKafka kafka;
  private final Encoding encoding;
  private final String prefix = SharedStack.uniqueName("shop") + ".public.";
  private final Admin admin;
  private final KafkaProducer<byte[], byte[]> producer;
  private final List<Sent> sent = new ArrayList<>();
  private final Map<String, Integer> undecodable = new TreeMap<>();
  private long lsn = 100;

  Shop(LocalKafka kafka) {
    this(kafka, new JsonEvents());
  }

  Shop(LocalKafka kafka, Encoding encoding) {
    this.kafka = kafka;
    this.encoding = encoding;
    this.admin = kafka.admin();
    this.producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "max.in.flight.requests.per.connection",
                "1"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    createTopic(ORDERS);
    createTopic(PAYMENTS);
  }

  void createTopic(String table) {
    int partitions = table.equals(ORDERS) ? 2 : 1;
    await(admin.createTopics(List.of(new NewTopic(topic(table), partitions, (short) 1))).all());
  }

  String topic(String table) {
    return prefix + table;
  }

  Admin admin() {
    return admin;
  }

  String group() {
    return prefix + "group";
  }

  /** The daemon's settings for both tables over a catalog. */
  Map<String, String> settings(Map<String, String> catalog) {
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", kafka.bootstrapServers());
    settings.put("kafka.group.id", group());
    settings.put("topics", topic(ORDERS) + "," + topic(PAYMENTS));
    settings.put("target.namespace", Tables.NAMESPACE);
    settings.putAll(encoding.settings());
    settings.put("batch.max.wait.ms", "100");
    settings.put("retry.backoff.ms", "100");
    settings.put("retry.backoff.max.ms", "500");
    catalog.forEach((name, value) -> settings.put("catalog." + name, value));
    return settings;
  }

  /** A JDBC catalog on SQLite, which moves all tables of a target at once. */
  static Map<String, String> jdbc(Path warehouse) {
    return Map.of(
        "type", "jdbc",
        "uri", "jdbc:sqlite:" + warehouse.resolve("catalog.db"),
        "warehouse", warehouse.toString(),
        "jdbc.schema-version", "V1",
        "jdbc.busy_timeout", "20000",
        "jdbc.journal_mode", "WAL");
  }

  /** A catalog that moves one table at a time. */
  static Map<String, String> hadoop(Path warehouse) {
    return Map.of("type", "hadoop", "warehouse", warehouse.toString());
  }

  /** A server of a catalog that outlives the daemon and moves all tables of a commit at once. */
  static RestCatalogServer restServer(Path warehouse) throws IOException {
    Files.createDirectories(warehouse);
    return new RestCatalogServer(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        Map.of(
            "uri",
            "jdbc:sqlite:" + warehouse.resolve("catalog.db"),
            "jdbc.schema-version",
            "V1",
            "warehouse",
            warehouse.toString(),
            "io-impl",
            "org.apache.iceberg.hadoop.HadoopFileIO"));
  }

  static Map<String, String> rest(RestCatalogServer server) {
    return Map.of(
        "type", "rest",
        "uri", "http://127.0.0.1:" + server.port(),
        "rest-metrics-reporting-enabled", "false");
  }

  // ---- Events

  /** Sends new events to both tables, some of them twice. */
  void sell(int events) {
    for (int i = 0; i < events; i++) {
      sell(i % 3 == 2 ? PAYMENTS : ORDERS, i % 5 == 0);
    }
    producer.flush();
  }

  /** Sends new events of one table. */
  void sell(String table, int events) {
    for (int i = 0; i < events; i++) {
      sell(table, false);
    }
    producer.flush();
  }

  private void sell(String table, boolean twice) {
    long id = lsn++;
    byte[] key = encoding.key(topic(table), id);
    byte[] value = encoding.value(topic(table), id, table);
    Sent event = new Sent(table, table.equals(ORDERS) ? (int) (id % 2) : 0, id, key, value);
    sent.add(event);
    send(event);
    if (twice) {
      send(event);
    }
  }

  /** Sends a record of the orders that nobody can decode. */
  void garble() {
    undecodable.merge(ORDERS, 1, Integer::sum);
    byte[] bytes = {(byte) 0xfe, 1, 2, 3};
    await(producer.send(new ProducerRecord<>(topic(ORDERS), 0, bytes, bytes)));
  }

  /** Sends every event once more, at new offsets, as a connector does that starts again. */
  void replay() {
    List.copyOf(sent).forEach(this::send);
    producer.flush();
  }

  private void send(Sent event) {
    var unused =
        producer.send(
            new ProducerRecord<>(
                topic(event.table()), event.partition(), event.key(), event.value()));
  }

  /** The positions of all events of a table. */
  Set<Long> positions(String table) {
    Set<Long> positions = new TreeSet<>();
    sent.stream().filter(e -> e.table().equals(table)).forEach(e -> positions.add(e.lsn()));
    return positions;
  }

  int undecodable(String table) {
    return undecodable.getOrDefault(table, 0);
  }

  // ---- Kafka

  /** The end of each partition of a table's topic. */
  Map<String, Long> ends(String table) {
    String topic = topic(table);
    TopicDescription description =
        Objects.requireNonNull(
            await(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic));
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    for (TopicPartitionInfo partition : description.partitions()) {
      asked.put(new TopicPartition(topic(table), partition.partition()), OffsetSpec.latest());
    }
    Map<String, Long> ends = new TreeMap<>();
    await(admin.listOffsets(asked).all())
        .forEach((partition, end) -> ends.put(partition.toString(), end.offset()));
    return ends;
  }

  /** What the consumer group is shown to have read, of both tables. */
  Map<String, Long> groupOffsets() {
    Map<String, Long> offsets = new TreeMap<>();
    await(admin.listConsumerGroupOffsets(group()).partitionsToOffsetAndMetadata())
        .forEach((partition, next) -> offsets.put(partition.toString(), next.offset()));
    return offsets;
  }

  static <T> T await(org.apache.kafka.common.KafkaFuture<T> future) {
    return await((Future<T>) future.toCompletionStage().toCompletableFuture());
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public void close() {
    producer.close();
    admin.close();
  }
}
