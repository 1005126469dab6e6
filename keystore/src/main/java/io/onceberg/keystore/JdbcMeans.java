package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A JDBC catalog: the metadata files are written first, then all pointers move in one SQL
 * transaction, each only from where it stood. Works on both versions of the catalog's schema: a
 * metadata location is unique, so the record type needs no look.
 */
final class JdbcMeans implements CommitMeans, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JdbcMeans.class);
  private static final String MOVE =
      "UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ?"
          + " WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?"
          + " AND metadata_location = ?";

  private static final String LOCATION =
      "SELECT metadata_location FROM iceberg_tables"
          + " WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?";

  private final String catalogName;
  private final String uri;
  private final Properties driver;
  private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();
  // SQLite has one writer; waiting here is shorter than its own waiting, which sleeps
  private final ReentrantLock oneWriter = new ReentrantLock(true);
  private final boolean singleWriter;

  JdbcMeans(String catalogName, String uri, Properties driver) {
    this.catalogName = catalogName;
    this.uri = uri;
    this.driver = driver;
    this.singleWriter = uri.startsWith("jdbc:sqlite:");
  }

  @Override
  public String described() {
    return "one SQL transaction (JDBC catalog)";
  }

  @Override
  public boolean atomic() {
    return true;
  }

  @Override
  public boolean standsAt(TargetTables pinned) {
    try {
      Connection connection = borrow();
      boolean usable = false;
      try (PreparedStatement query = connection.prepareStatement(LOCATION)) {
        boolean stands =
            isAt(query, pinned.name().rows(), pinned.rows())
                && isAt(query, pinned.name().keys(), pinned.keys())
                && isAt(query, pinned.name().quarantine(), pinned.quarantine());
        usable = true;
        return stands;
      } finally {
        giveBack(connection, usable);
      }
    } catch (SQLException e) {
      throw new UncheckedSQLException(e, "%s", e.getMessage());
    }
  }

  private boolean isAt(PreparedStatement query, TableIdentifier name, Table pinned)
      throws SQLException {
    query.setString(1, catalogName);
    query.setString(2, namespace(name));
    query.setString(3, name.name());
    try (ResultSet found = query.executeQuery()) {
      return found.next()
          && Standing.metadata(pinned).metadataFileLocation().equals(found.getString(1));
    }
  }

  private static String namespace(TableIdentifier name) {
    return String.join(".", name.namespace().levels());
  }

  @Override
  public StagedTable prepare(StagedTable staged) {
    String location = staged.operations().metadataFileLocation(fileName(staged));
    TableMetadataParser.overwrite(staged.next(), staged.operations().io().newOutputFile(location));
    return staged.at(location);
  }

  private static String fileName(StagedTable staged) {
    String codec =
        staged
            .next()
            .property(
                TableProperties.METADATA_COMPRESSION, TableProperties.METADATA_COMPRESSION_DEFAULT);
    return "%05d-%s%s"
        .formatted(
            version(staged.base().metadataFileLocation()) + 1,
            UUID.randomUUID(),
            TableMetadataParser.getFileExtension(codec.toUpperCase(Locale.ROOT)));
  }

  private static int version(String location) {
    String file = location.substring(location.lastIndexOf('/') + 1);
    int dash = file.indexOf('-');
    try {
      return dash < 1 ? 0 : Integer.parseInt(file.substring(0, dash));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  @Override
  public Move move(List<StagedTable> staged) {
    if (singleWriter) {
      oneWriter.lock();
    }
    try {
      return transaction(staged);
    } catch (SQLException e) {
      return failed(e);
    } finally {
      if (singleWriter) {
        oneWriter.unlock();
      }
    }
  }

  private Move transaction(List<StagedTable> staged) throws SQLException {
    Connection connection = borrow();
    boolean usable = false;
    try {
      connection.setAutoCommit(false);
      StagedTable lost = moveAll(connection, staged);
      if (lost != null) {
        connection.rollback();
      } else {
        connection.commit();
      }
      connection.setAutoCommit(true);
      usable = true;
      return lost == null
          ? moved(staged)
          : new Lost(
              "%s no longer stands at %s"
                  .formatted(lost.name(), lost.base().metadataFileLocation()));
    } finally {
      giveBack(connection, usable);
    }
  }

  private @Nullable StagedTable moveAll(Connection connection, List<StagedTable> staged)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(MOVE)) {
      for (StagedTable table : inOneOrder(staged)) {
        update.setString(1, table.location());
        update.setString(2, table.base().metadataFileLocation());
        update.setString(3, catalogName);
        update.setString(4, namespace(table.name()));
        update.setString(5, table.name().name());
        update.setString(6, table.base().metadataFileLocation());
        if (update.executeUpdate() != 1) {
          return table;
        }
      }
      return null;
    }
  }

  /** Two writers that lock rows in one order cannot wait for each other. */
  private static List<StagedTable> inOneOrder(List<StagedTable> staged) {
    return staged.stream().sorted(Comparator.comparing(t -> t.name().toString())).toList();
  }

  private static Moved moved(List<StagedTable> staged) {
    Map<TableIdentifier, TableMetadata> known = new HashMap<>();
    for (StagedTable table : staged) {
      TableMetadata written = written(table);
      known.put(table.name(), written);
      // as Iceberg does after each commit, where the table asks for it
      CatalogUtil.deleteRemovedMetadataFiles(table.operations().io(), table.base(), written);
    }
    return new Moved(known);
  }

  /**
   * The metadata as it was written. A snapshot remembers every manifest that was listed through it,
   * so from time to time all are made anew, or a table that is held for long would fill the memory.
   */
  private static TableMetadata written(StagedTable table) {
    return table.tidiesUp()
        ? TableMetadataParser.fromJson(table.location(), TableMetadataParser.toJson(table.next()))
        : TableMetadata.buildFrom(table.next())
            .discardChanges()
            .withMetadataLocation(table.location())
            .build();
  }

  private Move failed(SQLException e) {
    OncebergException failure =
        CatalogFailure.of(
            "moving tables in catalog " + catalogName,
            new UncheckedSQLException(e, "%s", e.getMessage()));
    if (failure.code() == ErrorCode.CATALOG_REFUSED) {
      throw failure;
    }
    return new Unknown(failure);
  }

  private Connection borrow() throws SQLException {
    Connection connection = idle.poll();
    return connection != null ? connection : DriverManager.getConnection(uri, driver);
  }

  private void giveBack(Connection connection, boolean usable) {
    if (usable) {
      idle.push(connection);
    } else {
      close(connection);
    }
  }

  @Override
  public void close() {
    for (Connection c = idle.poll(); c != null; c = idle.poll()) {
      close(c);
    }
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("closing a broken connection", e);
    }
  }
}
