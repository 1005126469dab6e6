package io.onceberg.it.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;

/**
 * Fills one topic with the changes of a {@link ChangeStream}, keyed by the primary key.
 *
 * <p>Each thread runs through the whole stream and writes the events of its own partitions only, so
 * every partition holds its events in the stream's order however many threads there are, and a
 * stretch of the stream written again brings the same events at new offsets.
 */
final class LoadProducer {
  static final int PARTITIONS = 4;
  static final String COMPRESSION = "lz4";
  private static final int THREADS = 2;

  /**
   * What was written.
   *
   * @param valueBytes the sum of the values' lengths before compression
   */
  record Produced(long events, long valueBytes, Duration time) {
    Produced plus(Produced other) {
      return new Produced(
          events + other.events, valueBytes + other.valueBytes, time.plus(other.time));
    }

    long bytesPerEvent() {
      return events == 0 ? 0 : valueBytes / events;
    }
  }

  private final String bootstrap;
  private final String topic;
  private final long seed;
  private final Supplier<EventEncoder> encoders;

  LoadProducer(String bootstrap, String topic, long seed, Supplier<EventEncoder> encoders) {
    this.bootstrap = bootstrap;
    this.topic = topic;
    this.seed = seed;
    this.encoders = encoders;
  }

  void createTopic() {
    try (Admin admin =
        Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
      NewTopic wanted =
          new NewTopic(topic, Optional.of(PARTITIONS), Optional.empty())
              .configs(Map.of(TopicConfig.RETENTION_MS_CONFIG, "-1"));
      admin.createTopics(List.of(wanted)).all().get();
    } catch (ExecutionException e) {
      throw new BenchException("cannot create topic " + topic, e.getCause());
    } catch (InterruptedException e) {
      throw BenchException.interrupted(e);
    }
  }

  /** Writes the stream's events from one index (included) to another (not included). */
  Produced produce(long from, long until) {
    long start = System.nanoTime();
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Produced>> parts = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        int mine = thread;
        parts.add(pool.submit(() -> produce(from, until, mine)));
      }
      Produced all = new Produced(0, 0, Duration.ZERO);
      for (Future<Produced> part : parts) {
        all = all.plus(part.get());
      }
      return new Produced(
          all.events(), all.valueBytes(), Duration.ofNanos(System.nanoTime() - start));
    } catch (ExecutionException e) {
      throw new BenchException("cannot fill topic " + topic, e.getCause());
    } catch (InterruptedException e) {
      throw BenchException.interrupted(e);
    } finally {
      pool.shutdownNow();
    }
  }

  private Produced produce(long from, long until, int thread) {
    ChangeStream stream = skippedTo(from);
    try (Writer writer = new Writer(partition -> partition % THREADS == thread)) {
      for (long i = from; i < until; i++) {
        writer.write(stream.next());
      }
      return writer.finish();
    }
  }

  /** Goes on from an index of the stream in small portions, from one thread. */
  final class Trickle implements AutoCloseable {
    private final ChangeStream stream;
    private final Writer writer = new Writer(partition -> true);

    private Trickle(ChangeStream stream) {
      this.stream = stream;
    }

    /** Writes the next events and returns when Kafka has all of them. */
    void write(int count) {
      for (int i = 0; i < count; i++) {
        writer.write(stream.next());
      }
      writer.finish();
    }

    @Override
    public void close() {
      writer.close();
    }
  }

  Trickle trickle(long from) {
    return new Trickle(skippedTo(from));
  }

  private ChangeStream skippedTo(long from) {
    ChangeStream stream = new ChangeStream(seed);
    for (long i = 0; i < from; i++) {
      stream.next();
    }
    return stream;
  }

  /** One thread's producer and encoder. */
  private final class Writer implements AutoCloseable {
    private final EventEncoder encoder = encoders.get();
    private final KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            settings(bootstrap), new ByteArraySerializer(), new ByteArraySerializer());
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final IntPredicate mine;
    private long events;
    private long bytes;

    Writer(IntPredicate mine) {
      this.mine = mine;
    }

    void write(ChangeEvent event) {
      byte[] key = encoder.key(event);
      int partition = Utils.toPositive(Utils.murmur2(key)) % PARTITIONS;
      if (!mine.test(partition)) {
        return;
      }
      byte[] value = encoder.value(event);
      events++;
      bytes += value.length;
      var unused = // the callback keeps the failure
          producer.send(
              new ProducerRecord<>(topic, partition, key, value),
              (metadata, e) -> {
                if (e != null) {
                  failure.compareAndSet(null, e);
                }
              });
    }

    Produced finish() {
      producer.flush();
      Exception failed = failure.get();
      if (failed != null) {
        throw new BenchException("cannot write to topic " + topic, failed);
      }
      return new Produced(events, bytes, Duration.ZERO);
    }

    @Override
    public void close() {
      producer.close();
    }
  }

  static Map<String, Object> settings(String bootstrap) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    // with more, a broker that just made the partition may refuse the sequence for ever
    settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, COMPRESSION);
    settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 256 * 1024);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 20);
    settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 64L * 1024 * 1024);
    return settings;
  }
}
