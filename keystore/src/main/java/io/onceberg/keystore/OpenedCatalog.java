package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.apache.iceberg.rest.Endpoint;
import org.apache.iceberg.rest.ErrorHandlers;
import org.apache.iceberg.rest.HTTPClient;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.rest.RESTUtil;
import org.apache.iceberg.rest.auth.AuthManager;
import org.apache.iceberg.rest.auth.AuthManagers;
import org.apache.iceberg.rest.auth.AuthSession;
import org.apache.iceberg.rest.responses.ConfigResponse;

/** A catalog and how it commits; opening it finds out which means it has. */
record OpenedCatalog(Catalog catalog, CommitMeans means) {
  /**
   * Catalog property: {@code none} says that a server which advertises a commit over several tables
   * applies them one by one all the same; {@code auto}, the default, believes it.
   */
  static final String MULTI_TABLE_COMMIT = "onceberg.multi-table-commit";

  static final String JDBC = CatalogUtil.ICEBERG_CATALOG_TYPE_JDBC;
  static final String REST = CatalogUtil.ICEBERG_CATALOG_TYPE_REST;
  private static final String SQLITE = "jdbc:sqlite:";
  private static final int OPENING_TRIES = 4;

  static OpenedCatalog open(CatalogSettings settings) {
    try {
      return switch (type(settings.properties())) {
        case JDBC -> jdbc(settings);
        case REST -> rest(settings);
        default -> other(settings);
      };
    } catch (RuntimeException e) {
      throw CatalogFailure.opening(settings.name(), e);
    }
  }

  static String type(Map<String, String> properties) {
    String type = properties.get(CatalogUtil.ICEBERG_CATALOG_TYPE);
    String implementation = properties.get(CatalogProperties.CATALOG_IMPL);
    if (type != null) {
      return type.toLowerCase(Locale.ROOT);
    }
    if (implementation == null) {
      throw new OncebergException(
          ErrorCode.MISSING_SETTING,
          "the catalog has neither a type nor a catalog-impl; set its type to jdbc, rest, hadoop or"
              + " hive");
    }
    return switch (implementation) {
      case CatalogUtil.ICEBERG_CATALOG_JDBC -> JDBC;
      case CatalogUtil.ICEBERG_CATALOG_REST -> REST;
      default -> implementation;
    };
  }

  // ---- JDBC

  private static OpenedCatalog jdbc(CatalogSettings settings) {
    Map<String, String> properties = withDriverDefaults(settings.properties());
    String uri = jdbcUri(properties);
    sqliteFile(uri).ifPresent(OpenedCatalog::makeDirectory);
    JdbcCatalog catalog = initialized(settings.name(), properties);
    return new OpenedCatalog(catalog, new JdbcMeans(settings.name(), uri, driver(properties)));
  }

  static String jdbcUri(Map<String, String> properties) {
    String uri = properties.get(CatalogProperties.URI);
    if (uri == null) {
      throw new OncebergException(
          ErrorCode.MISSING_SETTING, "the JDBC catalog has no uri, such as jdbc:sqlite:catalog.db");
    }
    return uri;
  }

  static Map<String, String> withDriverDefaults(Map<String, String> given) {
    Map<String, String> properties = new HashMap<>(given);
    driverDefaults(jdbcUri(given))
        .forEach((key, value) -> properties.putIfAbsent("jdbc." + key, value));
    return properties;
  }

  /** What the driver is told: the properties under {@code jdbc.}. */
  static Properties driver(Map<String, String> properties) {
    Properties driver = new Properties();
    driver.putAll(RESTUtil.extractPrefixMap(properties, "jdbc."));
    return driver;
  }

  /** Where two programs open a new catalog at once, both make its tables: the loser looks again. */
  private static JdbcCatalog initialized(String name, Map<String, String> properties) {
    for (int n = 1; ; n++) {
      JdbcCatalog catalog = new JdbcCatalog();
      CatalogUtil.configureHadoopConf(catalog, LocalDisk.configuration());
      try {
        catalog.initialize(name, properties);
        return catalog;
      } catch (UncheckedSQLException e) {
        catalog.close();
        if (n == OPENING_TRIES || !isCollision(e)) {
          throw e;
        }
      }
      Backoff.pause(n);
    }
  }

  /** SQLite has no SQL states; the classes are those of a thing that is there already. */
  private static boolean isCollision(UncheckedSQLException failure) {
    String state = failure.getCause() instanceof SQLException sql ? sql.getSQLState() : null;
    return state == null || state.startsWith("42") || state.startsWith("23");
  }

  private static Map<String, String> driverDefaults(String uri) {
    if (uri.startsWith(SQLITE)) {
      return Map.of(
          "schema-version", "V1",
          "busy_timeout", "20000",
          "journal_mode", "WAL",
          "synchronous", "NORMAL");
    }
    if (uri.startsWith("jdbc:postgresql:")) {
      return Map.of(
          "schema-version", "V1",
          "connectTimeout", "10",
          "loginTimeout", "15",
          "socketTimeout", "60",
          "tcpKeepAlive", "true");
    }
    return Map.of("schema-version", "V1");
  }

  /** The file of a SQLite catalog; none for a database in memory or of another kind. */
  static Optional<Path> sqliteFile(String uri) {
    if (!uri.startsWith(SQLITE)) {
      return Optional.empty();
    }
    String file =
        uri.substring(SQLITE.length()).replaceFirst("^file:", "").replaceFirst("\\?.*", "");
    return file.isEmpty() || file.startsWith(":")
        ? Optional.empty()
        : Optional.of(Path.of(file).toAbsolutePath());
  }

  private static void makeDirectory(Path file) {
    Path parent = file.getParent();
    if (parent == null) {
      return;
    }
    try {
      Files.createDirectories(parent);
    } catch (IOException e) {
      throw new OncebergException(
          ErrorCode.CATALOG_REFUSED,
          "the directory %s of the SQLite catalog cannot be made; choose another uri"
              .formatted(parent),
          new UncheckedIOException(e));
    }
  }

  // ---- REST

  private static OpenedCatalog rest(CatalogSettings settings) {
    Map<String, String> properties = new HashMap<>(settings.properties());
    properties.putIfAbsent("rest.client.connection-timeout-ms", "10000");
    properties.putIfAbsent("rest.client.socket-timeout-ms", "60000");
    boolean atomic =
        !properties.getOrDefault(MULTI_TABLE_COMMIT, "auto").equalsIgnoreCase("none")
            && advertised(settings.name(), properties).contains(Endpoint.V1_COMMIT_TRANSACTION);
    RESTCatalog catalog = new RESTCatalog();
    CatalogUtil.configureHadoopConf(catalog, LocalDisk.configuration());
    catalog.initialize(settings.name(), properties);
    return new OpenedCatalog(
        catalog,
        atomic
            ? new RestMeans(catalog)
            : new RollForwardMeans("REST catalog without transactions/commit"));
  }

  /** What the server itself says it can do; a server that lists nothing is taken at its word. */
  private static List<Endpoint> advertised(String name, Map<String, String> properties) {
    try (HTTPClient client =
            HTTPClient.builder(properties)
                .uri(properties.get(CatalogProperties.URI))
                .withHeaders(RESTUtil.configHeaders(properties))
                .build();
        AuthManager auth = AuthManagers.loadAuthManager(name, properties);
        AuthSession session = auth.initSession(client, properties)) {
      String warehouse = properties.get(CatalogProperties.WAREHOUSE_LOCATION);
      return client
          .withAuthSession(session)
          .get(
              "v1/config",
              warehouse == null
                  ? Map.of()
                  : Map.of(CatalogProperties.WAREHOUSE_LOCATION, warehouse),
              ConfigResponse.class,
              RESTUtil.configHeaders(properties),
              ErrorHandlers.defaultErrorHandler())
          .endpoints();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- any other

  private static OpenedCatalog other(CatalogSettings settings) {
    String type = type(settings.properties());
    try {
      Catalog catalog =
          CatalogUtil.buildIcebergCatalog(
              settings.name(), settings.properties(), LocalDisk.configuration());
      return new OpenedCatalog(catalog, new RollForwardMeans(type + " catalog"));
    } catch (UnsupportedOperationException e) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "no catalog of type %s is known; use jdbc, rest, hadoop or hive, or set catalog-impl"
              .formatted(type),
          e);
    }
  }
}
