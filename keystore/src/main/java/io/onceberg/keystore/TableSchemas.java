package io.onceberg.keystore;

import java.util.Collection;
import java.util.Optional;
import org.apache.iceberg.catalog.Catalog;

/** Creates, checks and evolves the three tables of a target. */
@SuppressWarnings("DoNotCallSuggester")
final class TableSchemas {
  private final Catalog catalog;
  private final TargetSettings settings;

  TableSchemas(Catalog catalog, TargetSettings settings) {
    this.catalog = catalog;
    this.settings = settings;
  }

  /** Loads the tables and checks that they were made here; empty when none exists yet. */
  Optional<TargetTables> load() {
    throw new UnsupportedOperationException(catalog + " " + settings);
  }

  /** Creates the tables with no source column yet, where they do not exist. */
  TargetTables create() {
    throw new UnsupportedOperationException();
  }

  /** Adds columns and widens types so that the schemas fit; commits to the catalog by itself. */
  TargetTables evolve(TargetTables tables, Collection<SourceSchema> schemas) {
    throw new UnsupportedOperationException();
  }

  /** The layout that the tables have now. */
  TargetLayout layout(TargetTables tables) {
    throw new UnsupportedOperationException();
  }

  /** The tables at their current snapshots, for tasks. */
  TaskTarget pin(TargetTables tables) {
    throw new UnsupportedOperationException();
  }
}
