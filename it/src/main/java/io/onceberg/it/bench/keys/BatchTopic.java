package io.onceberg.it.bench.keys;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.onceberg.it.bench.BenchException;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * One topic whose records are batches of one size, one after another: Debezium's JSON without
 * schema, dealt out to the partitions one by one.
 */
final class BatchTopic {
  static final int PARTITIONS = 4;
  static final String COMPRESSION = "lz4";

  private static final String SOURCE_HEAD =
      ",\"source\":{\"version\":\"3.6.1.Final\",\"connector\":\"postgresql\",\"name\":\"bench\""
          + ",\"snapshot\":\"false\",\"db\":\"shop\",\"schema\":\"public\",\"table\":\"events\"";

  private final String bootstrap;
  private final String name;
  private final int batchRows;
  private final String topicId;
  private int batches;
  private long valueBytes;

  private BatchTopic(String bootstrap, String name, int batchRows, String topicId) {
    this.bootstrap = bootstrap;
    this.name = name;
    this.batchRows = batchRows;
    this.topicId = topicId;
  }

  /**
   * Makes a topic.
   *
   * @param batchRows records of a batch, a multiple of the number of partitions
   */
  static BatchTopic create(String bootstrap, String name, int batchRows) {
    try (Admin admin =
        Admin.create(Map.<String, Object>of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
      NewTopic wanted =
          new NewTopic(name, Optional.of(PARTITIONS), Optional.empty())
              .configs(Map.of("retention.ms", "-1"));
      var created = admin.createTopics(List.of(wanted));
      return new BatchTopic(bootstrap, name, batchRows, created.topicId(name).get().toString());
    } catch (ExecutionException e) {
      throw new BenchException("cannot create topic " + name, e.getCause());
    } catch (InterruptedException e) {
      throw BenchException.interrupted(e);
    }
  }

  String name() {
    return name;
  }

  /** The mean length of the values written so far, before compression. */
  long bytesPerValue() {
    return valueBytes / ((long) batches * batchRows);
  }

  /** Writes the next batches. */
  void produce(List<long[]> numbers) {
    AtomicReference<Exception> failure = new AtomicReference<>();
    Event event = new Event();
    StringBuilder text = new StringBuilder(2048);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings(), new ByteArraySerializer(), new ByteArraySerializer())) {
      for (long[] batch : numbers) {
        for (int i = 0; i < batch.length; i++) {
          byte[] value = value(event.at(batch[i]), text);
          valueBytes += value.length;
          byte[] key = event.keyJson().getBytes(UTF_8);
          var unused = // the callback keeps the failure
              producer.send(
                  new ProducerRecord<>(name, i % PARTITIONS, key, value),
                  (metadata, e) -> {
                    if (e != null) {
                      failure.compareAndSet(null, e);
                    }
                  });
        }
        batches++;
      }
    }
    Exception failed = failure.get();
    if (failed != null) {
      throw new BenchException("cannot write to topic " + name, failed);
    }
  }

  private static byte[] value(Event event, StringBuilder text) {
    text.setLength(0);
    text.append("{\"before\":null,\"after\":");
    event.appendRow(text);
    long micros = event.createdAt();
    text.append(SOURCE_HEAD).append(",\"ts_ms\":").append(micros / 1000);
    text.append(",\"ts_us\":").append(micros).append(",\"txId\":").append(event.txId());
    text.append(",\"lsn\":").append(event.lsn()).append(",\"xmin\":null}");
    text.append(",\"transaction\":null,\"op\":\"c\",\"ts_ms\":").append(micros / 1000 + 40);
    text.append(",\"ts_us\":").append(micros + 40_000).append('}');
    return text.toString().getBytes(UTF_8);
  }

  private Map<String, Object> settings() {
    return Map.of(
        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
        bootstrap,
        ProducerConfig.COMPRESSION_TYPE_CONFIG,
        COMPRESSION,
        ProducerConfig.BATCH_SIZE_CONFIG,
        256 << 10,
        ProducerConfig.LINGER_MS_CONFIG,
        20,
        ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
        1);
  }

  /** The offsets of one of the batches. */
  List<SourceRange> ranges(int batch) {
    if (batch >= batches) {
      throw new IllegalArgumentException("batch %d of %d".formatted(batch, batches));
    }
    long share = batchRows / PARTITIONS;
    List<SourceRange> ranges = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      ranges.add(
          new SourceRange(
              new SourcePartition(name, partition), topicId, batch * share, (batch + 1) * share));
    }
    return ranges;
  }
}
