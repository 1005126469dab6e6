package io.onceberg.ingest.dedup;

import io.onceberg.ingest.decode.EventOrigin;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The 16 bytes by which a quarantined record is known when it comes again: from the event's
 * position where it has one, else from the record's place in Kafka.
 */
final class QuarantineDigest {
  private static final int BYTES = 16;

  private QuarantineDigest() {}

  /** For a record whose event cannot be known. */
  static byte[] ofPlace(String topicId, int partition, long offset) {
    return digest("place/%s/%d/%d".formatted(topicId, partition, offset));
  }

  /** Whether the key or the ordinal tells the event from others at its position. */
  static boolean isTold(EventOrigin origin) {
    return origin.keyText() != null || origin.ordinal() != null;
  }

  /**
   * For an event with a source position.
   *
   * @param content a hash of the event's columns; empty where they could not be read, and the
   *     origin has to tell the event by itself
   */
  static byte[] ofOrigin(int sourceEpoch, EventOrigin origin, String content) {
    return digest(
        "origin/%d/%s/%s/%s/%s/%s/%s/%s"
            .formatted(
                sourceEpoch,
                origin.source(),
                origin.lsn(),
                origin.txId(),
                origin.op().letter(),
                origin.keyText(),
                origin.ordinal(),
                content));
  }

  /** For a second payload of one event key. */
  static byte[] ofConflict(byte[] identity, long payloadHash) {
    byte[] prefix = "conflict/%x/".formatted(payloadHash).getBytes(StandardCharsets.UTF_8);
    return digest(prefix, identity);
  }

  private static byte[] digest(String text) {
    return digest(text.getBytes(StandardCharsets.UTF_8), new byte[0]);
  }

  private static byte[] digest(byte[] first, byte[] second) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(first);
      return Arrays.copyOf(sha.digest(second), BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
