package io.onceberg.keystore;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * The name of one batch of one target: a sequence number and a digest of the offsets it covers. The
 * same ranges after the same ledger give the same id, so a batch that comes again is recognised.
 */
public record BatchId(long sequence, String digest) implements Serializable {
  private static final int DIGEST_BYTES = 8;

  public BatchId {
    if (sequence < 1 || digest.length() != 2 * DIGEST_BYTES) {
      throw new IllegalArgumentException("not a batch id: " + sequence + "-" + digest);
    }
  }

  public static BatchId of(long sequence, List<SourceRange> ranges) {
    if (ranges.isEmpty()) {
      throw new IllegalArgumentException("a batch covers at least one range");
    }
    MessageDigest sha;
    try {
      sha = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
    ranges.stream()
        .sorted(Comparator.comparing(SourceRange::partition).thenComparingLong(SourceRange::from))
        .forEach(
            r ->
                sha.update(
                    "%s/%s/%d/%d;"
                        .formatted(r.partition(), r.topicId(), r.from(), r.until())
                        .getBytes(StandardCharsets.UTF_8)));
    return new BatchId(sequence, HexFormat.of().formatHex(sha.digest(), 0, DIGEST_BYTES));
  }

  /** Reads the form that {@link #toString} writes. */
  public static BatchId parse(String text) {
    int dash = text.indexOf('-');
    if (dash < 1) {
      throw new IllegalArgumentException("not a batch id: " + text);
    }
    return new BatchId(Long.parseLong(text.substring(0, dash)), text.substring(dash + 1));
  }

  @Override
  public String toString() {
    return sequence + "-" + digest;
  }
}
