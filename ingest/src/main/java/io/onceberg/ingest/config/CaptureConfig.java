package io.onceberg.ingest.config;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The settings of {@code onceberg capture}, checked. Holds secrets and prints none. */
public final class CaptureConfig {
  private static final String TOPIC_PREFIX = "topic.prefix";
  private static final String TRANSACTIONS = "provide.transaction.metadata";
  private static final String OFFSET_STORAGE = "offset.storage";
  private static final String POSTGRES = "io.debezium.connector.postgresql.PostgresConnector";

  /** An event that Kafka did not take must never count as sent; not the user's to choose. */
  private static final Set<String> FIXED =
      Set.of(
          ProducerConfig.ACKS_CONFIG,
          ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
          ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
          ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
          ProducerConfig.TRANSACTIONAL_ID_CONFIG);

  private final Values values;

  private CaptureConfig(Values values) {
    this.values = values;
    values.get(Settings.BOOTSTRAP);
    CaptureSettings.ALL.forEach(values::get);
    debezium();
  }

  /**
   * Reads and checks a file.
   *
   * @throws OncebergException OB-101 to OB-104
   */
  public static CaptureConfig load(Path file) {
    return of(ConfigFile.read(file));
  }

  /**
   * Checks settings that were read already.
   *
   * @throws OncebergException OB-101 to OB-103
   */
  public static CaptureConfig of(Map<String, String> texts) {
    new TreeMap<>(texts).keySet().forEach(CaptureConfig::check);
    return new CaptureConfig(new Values(texts));
  }

  /** The brokers as the user wrote them. */
  public String bootstrapServers() {
    return values.get(Settings.BOOTSTRAP);
  }

  /** Settings of the producer; the serializers are the caller's. */
  public Map<String, Object> producer() {
    Map<String, Object> producer = new HashMap<>(client(ProducerConfig.configNames()));
    producer.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "zstd");
    producer.put(ProducerConfig.LINGER_MS_CONFIG, "5");
    producer.put(ProducerConfig.BATCH_SIZE_CONFIG, "131072");
    // A new partition takes any sequence number as its first: with two requests under way, the
    // second could be taken before the first is tried again, which then never is.
    producer.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "1");
    // Kafka being away is waited for without end: giving up would only mean starting again.
    producer.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, String.valueOf(Integer.MAX_VALUE));
    producer.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, String.valueOf(Long.MAX_VALUE));
    producer.putAll(values.under(CaptureSettings.PRODUCER));
    producer.put(ProducerConfig.ACKS_CONFIG, "all");
    producer.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    return producer;
  }

  /** Settings of the admin client. */
  public Map<String, Object> admin() {
    return new HashMap<>(client(AdminClientConfig.configNames()));
  }

  /** Settings of the key's converter, its class under {@code converter}. */
  public Map<String, String> keyConverter() {
    return converter(Settings.KEY_CONVERTER, Settings.KEY_CONVERTER_PROPERTIES);
  }

  /** Settings of the value's converter, its class under {@code converter}. */
  public Map<String, String> valueConverter() {
    return converter(Settings.VALUE_CONVERTER, Settings.VALUE_CONVERTER_PROPERTIES);
  }

  /** Partitions of a topic that is made here. */
  public int partitions() {
    return Math.toIntExact(values.get(CaptureSettings.PARTITIONS));
  }

  /** Replicas of a topic that is made here; -1 for the broker's default. */
  public short replication() {
    return values.get(CaptureSettings.REPLICATION).shortValue();
  }

  /** Kafka's settings for topics that are made here. */
  public Map<String, String> topicConfig() {
    return values.under(CaptureSettings.TOPIC_CONFIG);
  }

  public Path dataDirectory() {
    return Path.of(values.get(CaptureSettings.DATA_DIRECTORY)).toAbsolutePath().normalize();
  }

  /** Debezium's settings, completed with our defaults. */
  public Map<String, String> debezium() {
    Map<String, String> debezium = new TreeMap<>(values.under(CaptureSettings.DEBEZIUM));
    if (!debezium.containsKey(TOPIC_PREFIX)) {
      throw new OncebergException(
          ErrorCode.MISSING_SETTING,
          "debezium.topic.prefix is not set: topics are named <prefix>.<schema>.<table>");
    }
    if (!"true".equals(debezium.getOrDefault(TRANSACTIONS, "true"))) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "debezium."
              + TRANSACTIONS
              + " is always true: equal rows of a table without a key are told apart by it");
    }
    debezium.put(TRANSACTIONS, "true");
    debezium.putIfAbsent("name", "onceberg-capture");
    debezium.putIfAbsent("connector.class", POSTGRES);
    debezium.putIfAbsent("tombstones.on.delete", "true");
    debezium.putIfAbsent("heartbeat.interval.ms", "10000");
    if (POSTGRES.equals(debezium.get("connector.class"))) {
      debezium.putIfAbsent("plugin.name", "pgoutput");
    }
    addOffsetStorage(debezium);
    return debezium;
  }

  private void addOffsetStorage(Map<String, String> debezium) {
    debezium.putIfAbsent(OFFSET_STORAGE, "org.apache.kafka.connect.storage.FileOffsetBackingStore");
    String storage = debezium.getOrDefault(OFFSET_STORAGE, "");
    if (storage.endsWith(".FileOffsetBackingStore")) {
      debezium.putIfAbsent(
          OFFSET_STORAGE + ".file.filename", dataDirectory().resolve("offsets.dat").toString());
    } else if (storage.endsWith(".KafkaOffsetBackingStore")) {
      client(Set.of()).forEach(debezium::putIfAbsent);
      debezium.putIfAbsent(OFFSET_STORAGE + ".partitions", "1");
      debezium.putIfAbsent(OFFSET_STORAGE + ".replication.factor", "1");
    }
  }

  private Map<String, String> converter(Setting<String> setting, Settings.Family family) {
    Map<String, String> properties = new TreeMap<>(values.under(family));
    properties.put("converter", values.get(setting));
    return properties;
  }

  /** What a client of this kind takes of the settings that all clients share. */
  private Map<String, String> client(Set<String> names) {
    Map<String, String> shared = new TreeMap<>(values.under(Settings.KAFKA));
    shared.keySet().removeIf(n -> ConsumerConfig.configNames().contains(n) && !names.contains(n));
    shared.put("bootstrap.servers", bootstrapServers());
    return shared;
  }

  private static void check(String key) {
    KnownNames.check(key);
    String fixed = CaptureSettings.PRODUCER.prefix();
    if (key.startsWith(fixed) && FIXED.contains(key.substring(fixed.length()))) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          key + " is fixed: sending each event at least once depends on it; remove the line");
    }
    List<String> own = CaptureSettings.ALL.stream().<String>map(Setting::name).toList();
    if (key.startsWith(Settings.CAPTURE.prefix())
        && !own.contains(key)
        && CaptureSettings.FAMILIES.stream().noneMatch(f -> key.startsWith(f.prefix()))) {
      throw KnownNames.unknown(key, NearestName.of(key, own));
    }
  }

  @Override
  public String toString() {
    return "CaptureConfig" + new TreeMap<>(values.texts()).keySet();
  }
}
