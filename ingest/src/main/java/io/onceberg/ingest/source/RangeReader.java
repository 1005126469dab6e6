package io.onceberg.ingest.source;

import io.onceberg.keystore.SourceRange;
import java.util.List;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads planned offsets inside a Spark task, committed records only. Not shared between threads.
 */
public interface RangeReader extends AutoCloseable {
  /** Receives the records of one range, in offset order. */
  interface Handler {
    /** The nearest record before the range, at most once and first; absent when Kafka has none. */
    void before(ConsumerRecord<byte[], byte[]> record);

    void accept(ConsumerRecord<byte[], byte[]> record);
  }

  /**
   * Hands every record in {@code [from, until)} to the handler.
   *
   * @throws io.onceberg.error.OncebergException when Kafka does not answer or no longer has the
   *     offsets
   */
  void read(SourceRange range, Handler handler);

  /**
   * Hands over the records before a range, as far as Kafka still has them: in windows, the nearest
   * first, each in offset order, until the answer is false. A window may be empty, where compaction
   * has left nothing.
   *
   * @throws io.onceberg.error.OncebergException as for {@link #read}
   */
  void readBack(SourceRange range, Predicate<List<ConsumerRecord<byte[], byte[]>>> more);

  @Override
  void close();
}
