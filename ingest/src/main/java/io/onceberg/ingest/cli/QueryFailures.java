package io.onceberg.ingest.cli;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.StorageFailures;
import java.util.Set;
import org.apache.spark.SparkThrowable;
import org.jspecify.annotations.Nullable;

/** Finds the numbered error in what a query throws: the user's, the storage's, or a fault. */
final class QueryFailures {
  private static final Set<String> NOTHING_OF_THAT_NAME =
      Set.of("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND");

  private QueryFailures() {}

  /**
   * Translates a failure.
   *
   * @param absent the namespace that the query was to run in when it does not exist yet, or empty
   */
  static OncebergException translate(Exception thrown, String absent) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (t instanceof OncebergException known) {
        return known;
      }
      if (t instanceof SparkThrowable refusal && isOfTheQuery(refusal)) {
        return refused(t, advice(refusal.getCondition(), absent));
      }
      if (StorageFailures.isOne(t)) {
        return new OncebergException(
            ErrorCode.STORAGE_UNREACHABLE,
            "the query could not read table files: %s; check the warehouse's path and rights"
                .formatted(firstLine(t)),
            thrown);
      }
    }
    // Iceberg's catalogs each have their own way to say that the namespace is not there
    return absent.isEmpty()
        ? new OncebergException(ErrorCode.INTERNAL, String.valueOf(thrown), thrown)
        : refused(thrown, advice(null, absent));
  }

  /** Spark names what it refuses; a job that failed has no name but a cause. */
  private static boolean isOfTheQuery(SparkThrowable thrown) {
    return thrown.getCondition() != null && !thrown.isInternalError();
  }

  private static OncebergException refused(Throwable thrown, String advice) {
    return new OncebergException(ErrorCode.QUERY_REFUSED, firstLine(thrown) + advice, thrown);
  }

  private static String advice(@Nullable String condition, String absent) {
    if (!absent.isEmpty()) {
      return "; there is no namespace %s yet: it is made with its first table, at the first event"
          .formatted(absent);
    }
    return condition != null && NOTHING_OF_THAT_NAME.contains(condition)
        ? "; tables are made at the first event of their topic, show tables lists what is there"
        : "";
  }

  private static String firstLine(Throwable thrown) {
    String message = thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
    return message.strip().lines().findFirst().orElse(message);
  }
}
