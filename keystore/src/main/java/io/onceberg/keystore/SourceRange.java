package io.onceberg.keystore;

import java.io.Serializable;

/** Offsets {@code [from, until)} of one partition, read by one batch. */
public record SourceRange(SourcePartition partition, String topicId, long from, long until)
    implements Serializable {
  public SourceRange {
    if (from < 0 || from >= until) {
      throw new IllegalArgumentException(
          "empty or negative range [%d, %d) of %s".formatted(from, until, partition));
    }
  }

  public long length() {
    return until - from;
  }
}
