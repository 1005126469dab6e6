package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.BenchException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A warehouse as it stood at one moment: where every table's pointer was, and which files there
 * were. To go back is exact, since files never change: pointers are put back, newer files deleted.
 */
final class TargetState {
  private record Pointer(
      String namespace, String table, String location, @Nullable String previous) {}

  private final Path warehouse;
  private final String catalogUri;
  private final List<Pointer> pointers = new ArrayList<>();
  private final Set<Path> files;

  private TargetState(Path warehouse, String catalogUri) {
    this.warehouse = warehouse;
    this.catalogUri = catalogUri;
    this.files = new HashSet<>(files());
    try (Connection connection = DriverManager.getConnection(catalogUri);
        Statement query = connection.createStatement();
        ResultSet found =
            query.executeQuery(
                "SELECT table_namespace, table_name, metadata_location,"
                    + " previous_metadata_location FROM iceberg_tables")) {
      while (found.next()) {
        pointers.add(
            new Pointer(
                found.getString(1), found.getString(2), found.getString(3), found.getString(4)));
      }
    } catch (SQLException e) {
      throw new BenchException("cannot read the catalog " + catalogUri, e);
    }
  }

  /**
   * Notes how a warehouse stands.
   *
   * @param catalogUri of its catalog, a SQLite file
   */
  static TargetState of(Path warehouse, String catalogUri) {
    return new TargetState(warehouse, catalogUri);
  }

  /** Puts everything back; what is open on the tables has to be refreshed then. */
  void restore() {
    try (Connection connection = DriverManager.getConnection(catalogUri);
        PreparedStatement update =
            connection.prepareStatement(
                "UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ?"
                    + " WHERE table_namespace = ? AND table_name = ?")) {
      connection.setAutoCommit(false);
      for (Pointer pointer : pointers) {
        update.setString(1, pointer.location());
        update.setString(2, pointer.previous());
        update.setString(3, pointer.namespace());
        update.setString(4, pointer.table());
        update.executeUpdate();
      }
      connection.commit();
    } catch (SQLException e) {
      throw new BenchException("cannot put the catalog back", e);
    }
    for (Path file : files()) {
      if (!files.contains(file)) {
        delete(file);
      }
    }
  }

  private Collection<Path> files() {
    try (Stream<Path> tree = Files.walk(warehouse)) {
      return tree.filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("catalog.db"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
