package io.onceberg.keystore;

import io.onceberg.error.Distrust;
import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.exceptions.ValidationException;

/** Tells a catalog that does not answer from one that refuses. */
final class CatalogFailure {
  // SQL states of refusal: no rights or wrong password, no such database or table, bad statement
  private static final Set<String> REFUSING_STATES = Set.of("28", "3D", "3F", "42");
  // SQLite has no states; these are its result codes
  private static final List<String> REFUSING_TEXTS =
      List.of(
          "no suitable driver",
          "sqlite_cantopen",
          "sqlite_notadb",
          "sqlite_readonly",
          "sqlite_auth",
          "sqlite_perm",
          "does not exist: '",
          "no such table");

  private CatalogFailure() {}

  /** The numbered error for a catalog that cannot be opened; bad properties are the user's. */
  static OncebergException opening(String catalog, RuntimeException failure) {
    if (failure instanceof IllegalArgumentException || failure instanceof ValidationException) {
      return new OncebergException(
          ErrorCode.INVALID_SETTING,
          "opening catalog %s: %s; check the catalog's properties"
              .formatted(catalog, reason(failure)),
          failure);
    }
    return of("opening catalog " + catalog, failure);
  }

  /**
   * The numbered error for a failure.
   *
   * @param doing what was being done, such as {@code target db.orders}
   */
  static OncebergException of(String doing, RuntimeException failure) {
    if (failure instanceof OncebergException numbered) {
      return numbered;
    }
    String reason = reason(failure);
    return switch (code(failure)) {
      case CATALOG_REFUSED ->
          new OncebergException(
              ErrorCode.CATALOG_REFUSED,
              Distrust.isCauseOf(failure)
                  ? "%s: the TLS certificate is not trusted: %s; give the JVM a trust store that holds its authority, see docs/security.md"
                      .formatted(doing, reason)
                  : "%s: refused: %s; check its address, credentials and rights"
                      .formatted(doing, reason),
              failure);
      case TABLE_DAMAGED ->
          new OncebergException(
              ErrorCode.TABLE_DAMAGED,
              "%s: %s; restore the file or roll the table back".formatted(doing, reason),
              failure);
      case STORAGE_UNREACHABLE ->
          new OncebergException(
              ErrorCode.STORAGE_UNREACHABLE,
              "%s: %s; check the warehouse's path, rights and space".formatted(doing, reason),
              failure);
      case INTERNAL ->
          new OncebergException(ErrorCode.INTERNAL, "%s: %s".formatted(doing, failure), failure);
      default ->
          new OncebergException(
              ErrorCode.CATALOG_UNREACHABLE,
              "%s: no usable answer: %s; check that it runs and can be reached"
                  .formatted(doing, reason),
              failure);
    };
  }

  private static ErrorCode code(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof GeneralSecurityException
          || t instanceof NotAuthorizedException
          || t instanceof ForbiddenException
          || t instanceof BadRequestException
          || (t instanceof SQLException sql && refuses(sql))) {
        return ErrorCode.CATALOG_REFUSED;
      }
      if (t instanceof NotFoundException || t instanceof ValidationException) {
        return ErrorCode.TABLE_DAMAGED;
      }
      if (t instanceof RuntimeIOException
          || t instanceof UncheckedIOException
          || StorageFailures.isOfObjectStore(t)) {
        return ErrorCode.STORAGE_UNREACHABLE;
      }
      if (t instanceof NullPointerException
          || t instanceof ClassCastException
          || t instanceof IndexOutOfBoundsException
          || t instanceof IllegalArgumentException
          || t instanceof UnsupportedOperationException) {
        return ErrorCode.INTERNAL;
      }
    }
    return ErrorCode.CATALOG_UNREACHABLE;
  }

  private static boolean refuses(SQLException e) {
    String state = e.getSQLState();
    String text = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
    return (state != null && state.length() >= 2 && REFUSING_STATES.contains(state.substring(0, 2)))
        || REFUSING_TEXTS.stream().anyMatch(text::contains);
  }

  /** Whether a statement failed because its table is not there. */
  static boolean isMissingTable(SQLException e) {
    return "42P01".equals(e.getSQLState())
        || "42S02".equals(e.getSQLState())
        || String.valueOf(e.getMessage()).contains("no such table");
  }

  /** The innermost message, or a database driver's own: the one that names what went wrong. */
  private static String reason(Throwable failure) {
    Throwable innermost = failure;
    while (innermost.getCause() != null && !(innermost instanceof SQLException)) {
      innermost = innermost.getCause();
    }
    String message = innermost.getMessage();
    String text = message == null ? innermost.getClass().getSimpleName() : message;
    return text.lines().findFirst().orElse(text).strip();
  }
}
