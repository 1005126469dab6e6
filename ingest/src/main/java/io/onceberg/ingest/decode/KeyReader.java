package io.onceberg.ingest.decode;

/** Reads record keys of one encoding. */
interface KeyReader extends AutoCloseable {
  /**
   * Reads one key into {@code out}, which was started.
   *
   * @throws RefusedValue when it cannot be read
   */
  void read(String topic, byte[] key, RecordKey out);

  /** Asks again, from now on, for what a schema registry did not know. */
  default void renew() {}

  @Override
  default void close() {}
}
