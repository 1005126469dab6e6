package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.FileNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.jdbc.UncheckedSQLException;

/** Finds out whether a catalog is there; unlike opening it, this makes no database and no table. */
final class CatalogLook {
  private static final String ADVICE = "onceberg run makes it; else check ";

  private CatalogLook() {}

  static void at(CatalogSettings settings) {
    try {
      if (OpenedCatalog.type(settings.properties()).equals(OpenedCatalog.JDBC)) {
        atDatabase(settings);
      } else {
        atOther(settings);
      }
    } catch (RuntimeException e) {
      throw CatalogFailure.opening(settings.name(), e);
    }
  }

  private static void atDatabase(CatalogSettings settings) {
    Map<String, String> properties = OpenedCatalog.withDriverDefaults(settings.properties());
    String uri = OpenedCatalog.jdbcUri(properties);
    Path file = OpenedCatalog.sqliteFile(uri).orElse(null);
    if (file != null && Files.notExists(file)) {
      throw missing(
          "there is no catalog at %s yet".formatted(file), "catalog.uri and catalog.warehouse");
    }
    try (Connection connection =
            DriverManager.getConnection(uri, OpenedCatalog.driver(properties));
        Statement statement = connection.createStatement()) {
      if (!hasTables(statement)) {
        throw missing(
            "the database %s holds no catalog yet".formatted(uri.replaceFirst("\\?.*", "")),
            "catalog.uri");
      }
    } catch (SQLException e) {
      throw new UncheckedSQLException(e, "%s", e.getMessage());
    }
  }

  private static boolean hasTables(Statement statement) throws SQLException {
    try {
      return statement.execute("SELECT 1 FROM iceberg_tables WHERE 1 = 0");
    } catch (SQLException e) {
      if (CatalogFailure.isMissingTable(e)) {
        return false;
      }
      throw e;
    }
  }

  /** A REST server that answers is there, whatever it may show of its namespaces. */
  private static void atOther(CatalogSettings settings) {
    Catalog catalog = OpenedCatalog.open(settings).catalog();
    try {
      if (catalog instanceof SupportsNamespaces namespaces
          && !OpenedCatalog.type(settings.properties()).equals(OpenedCatalog.REST)) {
        Objects.requireNonNull(namespaces.listNamespaces(Namespace.empty()));
      }
    } catch (RuntimeException e) {
      if (isAbsence(e)) {
        throw missing(
            "there is no catalog at %s yet"
                .formatted(settings.properties().get(CatalogProperties.WAREHOUSE_LOCATION)),
            "catalog.warehouse");
      }
      throw e;
    } finally {
      Warehouse.close(catalog);
    }
  }

  private static boolean isAbsence(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof FileNotFoundException || t instanceof NoSuchNamespaceException) {
        return true;
      }
    }
    return false;
  }

  private static OncebergException missing(String what, String settings) {
    return new OncebergException(ErrorCode.CATALOG_MISSING, what + "; " + ADVICE + settings);
  }
}
