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
    /**
     * Whether what lies before the range is wanted; asked once, with the range's first record,
     * before that is handed over.
     */
    default boolean wantsEarlier(ConsumerRecord<byte[], byte[]> first) {
      return false;
    }

    /** Takes records before the range, as {@link RangeReader#readBack} hands them over. */
    default boolean earlier(List<ConsumerRecord<byte[], byte[]>> window) {
      return false;
    }

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
