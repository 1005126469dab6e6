package io.onceberg.ingest.sink;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.StorageFailures;
import java.util.concurrent.CancellationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.spark.SparkThrowable;
import org.jspecify.annotations.Nullable;

/** Finds the numbered error in what Spark throws when a task fails. */
final class JobFailures {
  private static final String CANCELLED = "SPARK_JOB_CANCELLED";

  private JobFailures() {}

  /** A numbered error, or {@link CancellationException} where the job was given up on purpose. */
  static RuntimeException translate(Exception thrown) {
    if (thrown instanceof SparkThrowable spark && CANCELLED.equals(spark.getCondition())) {
      CancellationException cancelled = new CancellationException("the batch's job was cancelled");
      cancelled.initCause(thrown);
      return cancelled;
    }
    return numbered(thrown);
  }

  private static OncebergException numbered(Exception thrown) {
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
            "a task could not read or write table files: %s; check the storage's address,"
                    .formatted(t.getMessage())
                + " credentials, rights and space",
            thrown);
      }
    }
    return new OncebergException(
        ErrorCode.INTERNAL, "the batch's job failed: " + firstLine(thrown), thrown);
  }

  /** Spark's own message goes on with a stack trace. */
  private static String firstLine(Exception thrown) {
    return String.valueOf(thrown.getMessage()).lines().findFirst().orElse("");
  }

  private static @Nullable Throwable cause(Throwable thrown) {
    return thrown.getCause() == thrown ? null : thrown.getCause();
  }
}
