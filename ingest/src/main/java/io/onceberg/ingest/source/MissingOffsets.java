package io.onceberg.ingest.source;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.SourcePartition;
import org.jspecify.annotations.Nullable;

/** The errors for offsets that Kafka does not have: each names the range and the next step. */
final class MissingOffsets {
  private MissingOffsets() {}

  static OncebergException belowRetention(
      SourcePartition partition, long next, long beginning, @Nullable Exception cause) {
    return new OncebergException(
        ErrorCode.OFFSET_BELOW_RETENTION,
        "%s: offsets [%d, %d) are missing, Kafka begins at %d; nothing was passed over. Restore them,"
                .formatted(partition, next, beginning, beginning)
            + " or route the topic to a new table and let the connector take a new snapshot",
        cause);
  }

  static OncebergException beyondEnd(
      SourcePartition partition, long next, @Nullable Exception cause) {
    return new OncebergException(
        ErrorCode.OFFSET_BEYOND_END,
        "%s: the log ends before offset %d, which was planned or committed; the topic lost records"
                .formatted(partition, next)
            + " (unclean leader election, a restored broker)",
        cause);
  }
}
