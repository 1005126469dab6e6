package io.onceberg.keystore;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;

/** How a catalog moves the tables of a target together. */
sealed interface CommitMeans permits JdbcMeans, RestMeans, RollForwardMeans {
  /** What users call it. */
  String described();

  /** Whether the tables move at one instant; else the rows move first and the rest follows. */
  boolean atomic();

  /** Whether no table of a target has moved since it was pinned. */
  default boolean standsAt(TargetTables pinned) {
    return Stream.of(pinned.rows(), pinned.keys(), pinned.quarantine())
        .map(PinnedOperations::of)
        .allMatch(PinnedOperations::isCurrent);
  }

  /** Writes what the catalog does not write itself; called for the tables side by side. */
  StagedTable prepare(StagedTable staged);

  /** Moves all tables or none. May be called again with the same tables after {@link Unknown}. */
  Move move(List<StagedTable> staged);

  /** How a move ended. */
  sealed interface Move {}

  /**
   * All tables have moved.
   *
   * @param known the metadata that tables have now, as far as it is known without loading it
   */
  record Moved(Map<TableIdentifier, TableMetadata> known) implements Move {}

  /** A table was not where it was expected; no table has moved. */
  record Lost(String reason) implements Move {}

  /** The answer did not come or does not tell; the tables may have moved, now or a moment later. */
  record Unknown(RuntimeException cause) implements Move {}
}
