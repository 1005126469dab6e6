package io.onceberg.ingest.source;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads planned offsets from Kafka: committed records only, never another offset than the one asked
 * for. Offsets without a record (transaction markers, compaction) are passed over; a range ends
 * when the position has reached its end. Consumers are pooled over the readers of a JVM.
 */
public final class KafkaRangeReader implements RangeReader {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaRangeReader.class);
  private static final int FIRST_LOOK_BACK = 16;
  private static final int LOOK_BACK_GROWTH = 16;
  private static final int LONGEST_LOOK_BACK = 4_096;

  private final Map<String, Object> properties;
  private final Duration timeout;
  private final ConsumerPool pool = ConsumerPool.shared();

  /**
   * Opens nothing yet.
   *
   * @param kafka Kafka client properties as in {@code KafkaSettings.properties}
   * @param timeout how long Kafka may stay silent
   */
  public KafkaRangeReader(Map<String, String> kafka, Duration timeout) {
    this.properties = consumerProperties(kafka);
    this.timeout = timeout;
  }

  @Override
  public void read(SourceRange range, Handler handler) {
    boolean[] first = {true};
    each(
        range,
        record -> {
          if (first[0]) {
            first[0] = false;
            if (handler.wantsEarlier(record)) {
              readBack(range, handler::earlier);
            }
          }
          handler.accept(record);
        });
  }

  @Override
  public void readBack(SourceRange range, Predicate<List<ConsumerRecord<byte[], byte[]>>> more) {
    long beginning = range.from() == 0 ? 0 : beginning(range);
    long until = range.from();
    long back = FIRST_LOOK_BACK;
    boolean wanted = true;
    while (wanted && until > beginning) {
      long from = Math.max(beginning, until - back);
      List<ConsumerRecord<byte[], byte[]>> window = new ArrayList<>();
      try {
        each(new SourceRange(range.partition(), range.topicId(), from, until), window::add);
      } catch (OncebergException e) {
        if (e.code() != ErrorCode.OFFSET_BELOW_RETENTION) {
          throw e;
        }
        LOG.debug("Kafka has dropped {} before offset {} meanwhile", range.partition(), until);
        return;
      }
      wanted = more.test(window);
      until = from;
      back = Math.min(LONGEST_LOOK_BACK, back * LOOK_BACK_GROWTH);
    }
  }

  private long beginning(SourceRange range) {
    PooledConsumer asked = borrow(range);
    long beginning;
    try {
      beginning = asked.beginning(range.partition(), timeout);
    } catch (KafkaException e) {
      asked.close();
      throw numbered(e, range);
    }
    pool.giveBack(asked);
    return beginning;
  }

  private PooledConsumer borrow(SourceRange range) {
    try {
      return pool.borrow(properties, range.partition(), range.from());
    } catch (KafkaException e) {
      throw numbered(e, range);
    }
  }

  private void each(SourceRange range, Sink sink) {
    PooledConsumer consumer = borrow(range);
    boolean usable = false;
    try {
      consumer.moveTo(range.partition(), range.from());
      drain(consumer, range, sink);
      usable = true;
    } catch (InvalidOffsetException e) {
      throw offsetsGone(consumer, range, e);
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      throw numbered(e, range);
    } finally {
      if (usable) {
        pool.giveBack(consumer);
      } else {
        consumer.close();
      }
    }
  }

  private void drain(PooledConsumer consumer, SourceRange range, Sink sink) {
    long heard = System.nanoTime();
    while (consumer.next() < range.until()) {
      long before = consumer.next();
      List<ConsumerRecord<byte[], byte[]>> records = consumer.poll(range.until(), timeout);
      for (ConsumerRecord<byte[], byte[]> record : records) {
        sink.accept(record);
      }
      if (consumer.next() > before) {
        heard = System.nanoTime();
      } else if (System.nanoTime() - heard >= timeout.toNanos()) {
        throw new OncebergException(
            ErrorCode.KAFKA_UNREACHABLE,
            "no record of %s came within %d ms at offset %d of [%d, %d); the batch is tried again"
                .formatted(
                    range.partition(), timeout.toMillis(), before, range.from(), range.until()));
      }
    }
  }

  private OncebergException offsetsGone(
      PooledConsumer consumer, SourceRange range, InvalidOffsetException cause) {
    SourcePartition partition = range.partition();
    long beginning;
    try {
      beginning = consumer.beginning(partition, timeout);
    } catch (KafkaException e) {
      return numbered(e, range);
    }
    return beginning > range.from()
        ? MissingOffsets.belowRetention(partition, range.from(), beginning, cause)
        : MissingOffsets.beyondEnd(partition, range.until(), cause);
  }

  private OncebergException numbered(KafkaException failure, SourceRange range) {
    return KafkaErrors.numbered(
        failure,
        "reading " + range.partition(),
        String.valueOf(properties.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG)));
  }

  /** Consumers stay in the pool; there is nothing to close. */
  @Override
  public void close() {}

  /** Closes the idle consumers of this JVM, at its end. */
  public static void closeIdleConsumers() {
    ConsumerPool.shared().closeIdle();
  }

  /**
   * What every consumer of source records is set to. Fetches are large, since ranges are long;
   * nothing is ever reset or committed by itself, and no group is joined.
   */
  private static Map<String, Object> consumerProperties(Map<String, String> kafka) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, "16777216");
    properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, "8388608");
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "20000");
    properties.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, "1048576");
    properties.putAll(kafka);
    properties.keySet().removeIf(name -> name.startsWith("group."));
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    return Map.copyOf(properties);
  }

  private interface Sink {
    void accept(ConsumerRecord<byte[], byte[]> record);
  }
}
