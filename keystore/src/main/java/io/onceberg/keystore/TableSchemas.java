package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.TableMarks.Role;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.ReplaceSortOrder;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, checks and evolves the three tables of a target.
 *
 * <p>The rows table is created last and the keys table is evolved first. So a target whose creation
 * or evolution was cut short looks as if it had not begun, and the next attempt completes it.
 */
final class TableSchemas {
  private static final Logger LOG = LoggerFactory.getLogger(TableSchemas.class);
  private static final int ATTEMPTS = 5;

  private final Catalog catalog;
  private final TargetSettings settings;
  private final List<PartitionTerm> partitionBy;
  private final Pins pins;
  private boolean seen;

  /** Columns of the partitioning that the table lacks, so that they are named once. */
  private List<String> waitingFor = List.of();

  TableSchemas(Catalog catalog, TargetSettings settings) {
    this.catalog = catalog;
    this.settings = settings;
    this.partitionBy = settings.partitionBy().stream().map(PartitionTerm::parse).toList();
    this.pins = new Pins(settings);
  }

  /**
   * Loads the tables and checks that they were made here; empty when none exists yet.
   *
   * @throws OncebergException when a table is foreign, missing, or has lost a column
   */
  Optional<TargetTables> load() {
    Table rows = loadTable(settings.name().rows(), Role.ROWS);
    Table keys = loadTable(settings.name().keys(), Role.KEYS);
    Table quarantine = loadTable(settings.name().quarantine(), Role.QUARANTINE);
    if (rows == null && !seen) {
      if (keys == null || keys.currentSnapshot() == null) {
        return Optional.empty();
      }
      // another daemon may have made the tables between the two looks; the rows come last
      rows = loadTable(settings.name().rows(), Role.ROWS);
      quarantine = loadTable(settings.name().quarantine(), Role.QUARANTINE);
    }
    TargetTables tables =
        new TargetTables(
            settings.name(),
            present(rows, settings.name().rows()),
            present(keys, settings.name().keys()),
            present(quarantine, settings.name().quarantine()));
    if (!seen
        && settings.eventKey().size() > 1
        && !TableColumns.hasKeyHash(settings, tables.keys())) {
      LOG.info(
          "table {} was made by an earlier version, without {}: it is searched by its first column, {}",
          tables.keys().name(),
          TableColumns.KEY_HASH,
          settings.eventKey().get(0));
    }
    seen = true;
    return Optional.of(tables);
  }

  /** Whether the keys table is gone and the others are there; the rows are made last. */
  boolean lacksKeysOnly() {
    return loadTable(settings.name().rows(), Role.ROWS) != null
        && loadTable(settings.name().keys(), Role.KEYS) == null
        && loadTable(settings.name().quarantine(), Role.QUARANTINE) != null;
  }

  private @Nullable Table loadTable(TableIdentifier name, Role role) {
    Table table;
    try {
      table = catalog.loadTable(name);
    } catch (NoSuchTableException e) {
      return null;
    }
    TableMarks.check(table, settings, role);
    return table;
  }

  private Table present(@Nullable Table table, TableIdentifier name) {
    if (table == null) {
      throw new OncebergException(
          ErrorCode.TABLE_MISSING,
          "table %s is gone but target %s had it; restore it, or drop all of %s, %s and %s to begin"
                  .formatted(
                      name,
                      settings.name(),
                      settings.name().rows(),
                      settings.name().keys(),
                      settings.name().quarantine())
              + " again");
    }
    return table;
  }

  /** Creates the tables with no source column yet, where they do not exist. */
  TargetTables create() {
    createNamespace(settings.name().rows().namespace());
    Schema keys = TableColumns.keys(settings);
    Table quarantineTable =
        createTable(
            settings.name().quarantine(),
            Role.QUARANTINE,
            TableColumns.QUARANTINE,
            byLoadedDate(TableColumns.QUARANTINE),
            SortOrder.unsorted());
    Table keysTable =
        createTable(
            settings.name().keys(),
            Role.KEYS,
            keys,
            byLoadedDate(keys),
            TableColumns.keyOrder(settings));
    Table rowsTable =
        createTable(
            settings.name().rows(),
            Role.ROWS,
            TableColumns.ROWS,
            PartitionTerm.resolvable(partitionBy, TableColumns.ROWS)
                ? PartitionTerm.spec(partitionBy, TableColumns.ROWS)
                : PartitionSpec.unpartitioned(),
            SortOrder.unsorted());
    seen = true;
    return new TargetTables(settings.name(), rowsTable, keysTable, quarantineTable);
  }

  private static PartitionSpec byLoadedDate(Schema schema) {
    return PartitionSpec.builderFor(schema).identity(TableColumns.LOADED_DATE).build();
  }

  private void createNamespace(Namespace namespace) {
    if (!(catalog instanceof SupportsNamespaces namespaces)) {
      return;
    }
    for (int level = 1; level <= namespace.length(); level++) {
      Namespace part = Namespace.of(Arrays.copyOf(namespace.levels(), level));
      if (!namespaces.namespaceExists(part)) {
        createNamespace(namespaces, part);
      }
    }
  }

  private static void createNamespace(SupportsNamespaces namespaces, Namespace namespace) {
    try {
      namespaces.createNamespace(namespace);
    } catch (AlreadyExistsException e) {
      if (!namespaces.namespaceExists(namespace)) {
        throw e;
      }
    }
  }

  private Table createTable(
      TableIdentifier name, Role role, Schema schema, PartitionSpec spec, SortOrder order) {
    Table existing = loadTable(name, role);
    if (existing != null) {
      return existing;
    }
    try {
      return catalog
          .buildTable(name, schema)
          .withPartitionSpec(spec)
          .withSortOrder(order)
          .withProperties(TableDefaults.of(settings, role))
          .create();
    } catch (AlreadyExistsException e) {
      return present(loadTable(name, role), name);
    }
  }

  /**
   * Adds columns and widens types so that the schemas fit; commits to the catalog by itself, one
   * commit for each table that changes.
   *
   * @throws OncebergException when a column cannot be added or the policy forbids it
   */
  TargetTables evolve(TargetTables tables, Collection<SourceSchema> schemas) {
    Types.StructType source = ColumnChanges.columns(schemas);
    refuseReserved(source, tables.keys());
    if (settings.kind() == TargetKind.EVENTS) {
      commitPlanned(
          tables.keys(), keys -> eventKeyChange(keys, eventKeyColumns(tables.rows(), source)));
    } else {
      Types.StructType key = ColumnChanges.key(schemas);
      commitPlanned(tables.keys(), keys -> sourceKeyChange(keys, key));
    }
    commitPlanned(tables.rows(), rows -> rowsChange(rows, source));
    return tables;
  }

  private void refuseReserved(Types.StructType source, Table keys) {
    for (NestedField field : source.fields()) {
      String name = field.name();
      boolean taken =
          name.equals(TableColumns.PAYLOAD_HASH)
              || (name.equals(TableColumns.KEY_HASH) && TableColumns.hasKeyHash(settings, keys));
      if (TableColumns.RESERVED.contains(name) || (taken && settings.eventKey().contains(name))) {
        throw new OncebergException(
            ErrorCode.SCHEMA_INCOMPATIBLE,
            "target %s: the source has a column '%s', a name these tables use themselves; rename it"
                    .formatted(settings.name(), name)
                + " on its way (Debezium: a ReplaceField transform with renames) or leave it out"
                + " (column.exclude.list)");
      }
    }
  }

  /** The key columns that are known, with the types that the rows table is about to have. */
  private Types.StructType eventKeyColumns(Table rows, Types.StructType source) {
    Types.StructType columns = rowsChanges(rows, source).appliedTo(layout(rows));
    return Types.StructType.of(
        settings.eventKey().stream().map(columns::field).filter(f -> f != null).toList());
  }

  private ColumnChanges rowsChanges(Table rows, Types.StructType source) {
    Types.StructType columns = layout(rows);
    ColumnChanges changes = ColumnChanges.between(columns, source);
    if (columns.fields().isEmpty() || settings.newColumns() == NewColumns.APPEND) {
      return changes;
    }
    if (settings.newColumns() == NewColumns.IGNORE) {
      return changes.addingOnly(f -> settings.eventKey().contains(f.name()));
    }
    if (!changes.added().isEmpty()) {
      throw new OncebergException(
          ErrorCode.SCHEMA_CHANGE_REFUSED,
          "target %s: new columns %s and the policy for new columns is fail; add them to table %s or"
                  .formatted(
                      settings.name(),
                      changes.added().stream().map(NestedField::name).toList(),
                      rows.name())
              + " change the policy to append or ignore");
    }
    return changes;
  }

  private @Nullable TableChange rowsChange(Table rows, Types.StructType source) {
    ColumnChanges changes = rowsChanges(rows, source);
    boolean partition =
        rows.spec().isUnpartitioned()
            && rows.specs().size() == 1
            && !partitionBy.isEmpty()
            && hasPartitionColumns(rows, changes);
    if (changes.isEmpty() && !partition) {
      return null;
    }
    return tx -> {
      UpdateSchema update = tx.updateSchema();
      changes.applyBefore(TableColumns.CDC, update);
      update.commit();
      if (partition) {
        PartitionTerm.addAll(partitionBy, tx.table(), tx.updateSpec());
      }
      UpdateProperties properties = tx.updateProperties();
      TableDefaults.forColumns(settings, changes.added()).forEach(properties::set);
      properties.commit();
    };
  }

  private boolean hasPartitionColumns(Table rows, ColumnChanges changes) {
    List<String> absent =
        partitionBy.stream()
            .map(PartitionTerm::column)
            .filter(column -> !hasColumn(rows, changes, column))
            .toList();
    if (!absent.isEmpty() && !absent.equals(waitingFor)) {
      LOG.warn(
          "table {} is not partitioned yet: partition.by names {}, which no event has brought; its columns are {}",
          rows.name(),
          absent,
          Stream.concat(rows.schema().columns().stream(), changes.added().stream())
              .map(NestedField::name)
              .toList());
    }
    waitingFor = absent;
    return absent.isEmpty();
  }

  private static boolean hasColumn(Table rows, ColumnChanges changes, String column) {
    return rows.schema().findField(column) != null
        || changes.added().stream().anyMatch(f -> f.name().equals(column));
  }

  private @Nullable TableChange sourceKeyChange(Table keys, Types.StructType key) {
    NestedField column = keys.schema().findField(TableColumns.KEY);
    if (column == null) {
      return key.fields().isEmpty()
          ? null
          : tx ->
              tx.updateSchema()
                  .addColumn(null, TableColumns.KEY, key)
                  .moveBefore(TableColumns.KEY, TableColumns.CONTENT_HASH)
                  .commit();
    }
    ColumnChanges changes = ColumnChanges.between(column.type().asStructType(), key);
    if (changes.isEmpty()) {
      return null;
    }
    return tx -> {
      UpdateSchema update = tx.updateSchema();
      changes.applyWithin(TableColumns.KEY, update);
      update.commit();
    };
  }

  private @Nullable TableChange eventKeyChange(Table keys, Types.StructType wanted) {
    ColumnChanges changes = ColumnChanges.between(keys.schema().asStruct(), wanted);
    if (changes.isEmpty()) {
      return null;
    }
    return tx -> {
      UpdateSchema update = tx.updateSchema();
      changes.applyBefore(
          TableColumns.hasKeyHash(settings, keys)
              ? TableColumns.KEY_HASH
              : TableColumns.PAYLOAD_HASH,
          update);
      update.commit();
      if (keys.sortOrder().isUnsorted() && wanted.fields().size() == settings.eventKey().size()) {
        ReplaceSortOrder order = tx.replaceSortOrder();
        settings.eventKey().forEach(order::asc);
        order.commit();
      }
    };
  }

  /** What is to happen to a table inside one commit. */
  private interface TableChange {
    void applyTo(Transaction transaction);
  }

  /** Commits a change, deriving it again from the table whenever someone else was faster. */
  private void commitPlanned(Table table, Function<Table, @Nullable TableChange> planned) {
    for (int attempt = 1; planned.apply(table) != null; attempt++) {
      try {
        commit(table, planned);
        table.refresh();
        return;
      } catch (CommitFailedException | CommitStateUnknownException e) {
        if (attempt == ATTEMPTS) {
          throw new OncebergException(
              ErrorCode.FENCED,
              "the schema of table %s could not be changed in %d attempts, someone else keeps"
                      .formatted(table.name(), ATTEMPTS)
                  + " changing the table",
              e);
        }
        table.refresh();
      }
    }
  }

  /** A transaction begins at what the catalog has now, which need not be what the table shows. */
  private void commit(Table table, Function<Table, @Nullable TableChange> planned) {
    Transaction transaction = table.newTransaction();
    TableChange change = planned.apply(transaction.table());
    if (change == null) {
      return;
    }
    try {
      change.applyTo(transaction);
      transaction
          .updateProperties()
          .set(TableMarks.SCHEMA_ID, String.valueOf(transaction.table().schema().schemaId()))
          .commit();
      transaction.commitTransaction();
    } catch (ValidationException | IllegalArgumentException e) {
      throw new OncebergException(
          ErrorCode.SCHEMA_INCOMPATIBLE,
          "table %s cannot take the columns of the source: %s"
              .formatted(table.name(), e.getMessage()),
          e);
    }
  }

  /** The layout that the tables have now. */
  TargetLayout layout(TargetTables tables) {
    return TableColumns.layout(settings, tables);
  }

  private static Types.StructType layout(Table rows) {
    return TableColumns.source(rows.schema());
  }

  /** What is to be dropped on a day by what the settings say. */
  KeyDrop drop(TargetTables tables, int today) {
    OptionalInt keptFrom = settings.keys().keptFrom(today);
    return keptFrom.isPresent() ? pins.drop(tables, keptFrom.getAsInt()) : KeyDrop.NONE;
  }

  /** The tables at their current snapshots, for tasks. */
  TaskTarget pin(TargetTables tables) {
    return pins.pin(tables);
  }
}
