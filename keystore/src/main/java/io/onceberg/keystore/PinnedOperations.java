package io.onceberg.keystore;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.metrics.MetricsReporter;

/**
 * A table held at one metadata: what a batch reads, writes for, and commits against. A refresh
 * changes nothing and a commit is impossible; only a {@link CommitMeans} moves tables. Notes the
 * metadata files that are written through it, so that they can be deleted when the commit is lost.
 */
final class PinnedOperations implements TableOperations {
  private static final MetricsReporter NO_REPORT = report -> {};

  private final TableOperations catalog;
  private final TableMetadata metadata;
  private final TableOperations files;
  private final Queue<String> written;

  PinnedOperations(TableOperations catalog, TableMetadata metadata) {
    this(catalog, metadata, new ConcurrentLinkedQueue<>());
  }

  private PinnedOperations(TableOperations catalog, TableMetadata metadata, Queue<String> written) {
    this.catalog = catalog;
    this.metadata = metadata;
    this.files = catalog.temp(metadata);
    this.written = written;
  }

  /** Pins a table as the catalog gave it. */
  static Table pin(Table loaded) {
    TableOperations operations = operations(loaded);
    return table(loaded.name(), operations, operations.current());
  }

  /** Pins a pinned table again, where the catalog has it now. */
  static Table refreshed(Table pinned) {
    TableOperations operations = of(pinned).catalog;
    return table(pinned.name(), operations, operations.refresh());
  }

  /** A table at the given metadata. */
  static Table table(String name, TableOperations catalog, TableMetadata metadata) {
    return new BaseTable(new PinnedOperations(catalog, metadata), name, NO_REPORT);
  }

  static PinnedOperations of(Table pinned) {
    return (PinnedOperations) operations(pinned);
  }

  private static TableOperations operations(Table table) {
    return ((HasTableOperations) table).operations();
  }

  /** The same pin with a note of its own about what is written. */
  PinnedOperations fresh() {
    return new PinnedOperations(catalog, metadata);
  }

  /** Whether the catalog still has the table at this metadata; a table that is gone is not. */
  boolean isCurrent() {
    try {
      TableMetadata now = catalog.refresh();
      return now != null
          && now.metadataFileLocation() != null
          && now.metadataFileLocation().equals(metadata.metadataFileLocation());
    } catch (NoSuchTableException | ValidationException e) {
      return false;
    }
  }

  /** The operations that can commit to the catalog. */
  TableOperations catalog() {
    return catalog;
  }

  /** Every metadata file for which a place was asked so far. */
  List<String> written() {
    return List.copyOf(written);
  }

  @Override
  public TableMetadata current() {
    return metadata;
  }

  @Override
  public TableMetadata refresh() {
    return metadata;
  }

  @Override
  public void commit(TableMetadata base, TableMetadata next) {
    throw new UnsupportedOperationException("a pinned table is moved by the commit of its target");
  }

  @Override
  public FileIO io() {
    return files.io();
  }

  @Override
  public EncryptionManager encryption() {
    return files.encryption();
  }

  @Override
  public String metadataFileLocation(String fileName) {
    String location = files.metadataFileLocation(fileName);
    written.add(location);
    return location;
  }

  @Override
  public LocationProvider locationProvider() {
    return files.locationProvider();
  }

  @Override
  public TableOperations temp(TableMetadata uncommitted) {
    return new PinnedOperations(catalog, uncommitted, written);
  }

  @Override
  public long newSnapshotId() {
    return files.newSnapshotId();
  }
}
