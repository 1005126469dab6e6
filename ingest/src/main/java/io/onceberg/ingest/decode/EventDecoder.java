package io.onceberg.ingest.decode;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Decodes the records of one target against one layout. Not shared between threads. */
public interface EventDecoder extends AutoCloseable {
  /**
   * Decodes one record. Never throws for what the record holds.
   *
   * @throws io.onceberg.error.OncebergException with a retry reaction when the schema registry does
   *     not answer
   */
  Decoded decode(ConsumerRecord<byte[], byte[]> record);

  /** Asks again, from now on, for what a schema registry did not know; for the next batch. */
  void renew();

  @Override
  void close();
}
