package io.onceberg.it.catalog;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.requests.UpdateTableRequest;

/**
 * The tables behind the server, in Iceberg's JDBC catalog, which by itself moves one at a time.
 * Several move in one SQL transaction: all requirements are checked and all metadata files written
 * before it, and each pointer moves only from where it stood.
 */
final class AtomicTables implements AutoCloseable {
  private static final String NAME = "behind";
  private static final String MOVE =
      "UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ?"
          + " WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?"
          + " AND metadata_location = ?";

  private record Move(TableIdentifier table, String from, String to) {}

  private final String uri;
  private final JdbcCatalog catalog;

  AtomicTables(Map<String, String> properties) {
    uri = properties.getOrDefault(CatalogProperties.URI, "");
    catalog =
        (JdbcCatalog)
            CatalogUtil.loadCatalog(
                JdbcCatalog.class.getName(), NAME, properties, new Configuration());
  }

  JdbcCatalog catalog() {
    return catalog;
  }

  /**
   * Changes all these tables or none.
   *
   * @throws CommitFailedException when a requirement does not hold
   */
  void commit(List<UpdateTableRequest> changes) {
    List<Move> moves = new ArrayList<>();
    for (UpdateTableRequest change : changes) {
      moves.add(write(change));
    }
    try (Connection connection = DriverManager.getConnection(uri)) {
      connection.setAutoCommit(false);
      for (Move move : moves) {
        if (!move(connection, move)) {
          connection.rollback();
          throw new CommitFailedException("%s was changed meanwhile", move.table());
        }
      }
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException("cannot say whether the tables have moved", e);
    }
  }

  private Move write(UpdateTableRequest change) {
    TableOperations operations =
        ((HasTableOperations) catalog.loadTable(change.identifier())).operations();
    TableMetadata base = operations.current();
    change.requirements().forEach(requirement -> requirement.validate(base));
    TableMetadata.Builder next = TableMetadata.buildFrom(base);
    change.updates().forEach(update -> update.applyTo(next));
    String to =
        operations.metadataFileLocation(
            "%05d-%s.metadata.json".formatted(base.lastSequenceNumber(), UUID.randomUUID()));
    TableMetadataParser.overwrite(next.build(), operations.io().newOutputFile(to));
    return new Move(change.identifier(), base.metadataFileLocation(), to);
  }

  private static boolean move(Connection connection, Move move) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(MOVE)) {
      update.setString(1, move.to());
      update.setString(2, move.from());
      update.setString(3, NAME);
      update.setString(4, String.join(".", move.table().namespace().levels()));
      update.setString(5, move.table().name());
      update.setString(6, move.from());
      return update.executeUpdate() == 1;
    }
  }

  @Override
  public void close() {
    catalog.close();
  }
}
