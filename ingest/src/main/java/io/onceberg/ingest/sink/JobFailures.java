package io.onceberg.ingest.sink;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.StorageFailures;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/** Finds the numbered error in what Spark throws when a task fails. */
final class JobFailures {
  private JobFailures() {}

  static OncebergException translate(RuntimeException thrown) {
    for (Throwable t = thrown; t != null; t = cause(t)) {
      if (t instanceof OncebergException known) {
        return known;
      }
    }
    for (Throwable t = thrown; t != null; t = cause(t)) {
      if (t instanceof RetriableException) {
        return new OncebergException(ErrorCode.KAFKA_UNREACHABLE, t.getMessage() + "", thrown);
      }
      if (StorageFailures.isOne(t)) {
        return new OncebergException(
            ErrorCode.STORAGE_UNREACHABLE,
            "a task could not read or write table files: " + t.getMessage(),
            thrown);
      }
    }
    return new OncebergException(
        ErrorCode.INTERNAL, "the batch's job failed: " + thrown.getMessage(), thrown);
  }

  private static @Nullable Throwable cause(Throwable thrown) {
    return thrown.getCause() == thrown ? null : thrown.getCause();
  }
}
