package io.onceberg.ingest.decode;

/** Reads record values of one encoding. */
interface ValueReader extends AutoCloseable {
  /**
   * Reads one value into {@code out}, which was started.
   *
   * @param keyless whether the record has no key, so that the state before is wanted, too
   * @throws RefusedValue when the record as a whole cannot be read
   */
  void read(String topic, byte[] value, boolean keyless, Envelope out);

  /** Asks again, from now on, for what a schema registry did not know. */
  default void renew() {}

  @Override
  default void close() {}
}
