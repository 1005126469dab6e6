package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.Optional;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;

/**
 * Where a target stands: its tables, pinned, and the ledger that they agree on. Every batch is
 * planned, built and committed against one of these.
 */
record Standing(TargetTables tables, Ledger ledger) {
  private static final int MAX_READS = 10;

  /**
   * Pins freshly loaded tables and reads their ledger; completes a roll-forward that ended half
   * way. A catalog gives one table at a time: when someone commits between the two, the ledgers
   * differ although they never did, so they contradict each other only when they do so twice while
   * neither table moves.
   *
   * @throws OncebergException when the tables' ledgers contradict each other
   */
  static Standing of(TargetTables loaded, TargetSettings settings) {
    TargetTables tables = pin(loaded);
    for (int i = 0; i < MAX_READS; i++) {
      Optional<LedgerEntry> rows = LedgerHistory.newest(metadata(tables.rows()));
      Optional<LedgerEntry> keys = LedgerHistory.newest(metadata(tables.keys()));
      if (rows.map(LedgerEntry::ledger).equals(keys.map(LedgerEntry::ledger))) {
        return new Standing(tables, checked(rows, settings));
      }
      boolean half = rows.isPresent() && isHalf(rows.get(), keys);
      if (half) {
        RollForward.complete(tables, rows.get());
      }
      TargetTables again = refreshed(tables);
      if (!half && isSamePlace(tables, again)) {
        throw broken(tables.name(), rows, keys);
      }
      tables = again;
    }
    throw new OncebergException(
        ErrorCode.ANOTHER_WRITER,
        "%s changes faster than it can be read; is another daemon at work?"
            .formatted(tables.name()));
  }

  static TableMetadata metadata(Table pinned) {
    return PinnedOperations.of(pinned).current();
  }

  TableMetadata rows() {
    return metadata(tables.rows());
  }

  TableMetadata keys() {
    return metadata(tables.keys());
  }

  TableMetadata quarantine() {
    return metadata(tables.quarantine());
  }

  static TargetTables pin(TargetTables loaded) {
    return new TargetTables(
        loaded.name(),
        PinnedOperations.pin(loaded.rows()),
        PinnedOperations.pin(loaded.keys()),
        PinnedOperations.pin(loaded.quarantine()));
  }

  private static TargetTables refreshed(TargetTables tables) {
    return new TargetTables(
        tables.name(),
        PinnedOperations.refreshed(tables.rows()),
        PinnedOperations.refreshed(tables.keys()),
        PinnedOperations.refreshed(tables.quarantine()));
  }

  private static boolean isSamePlace(TargetTables one, TargetTables other) {
    return isSameFile(metadata(one.rows()), metadata(other.rows()))
        && isSameFile(metadata(one.keys()), metadata(other.keys()));
  }

  /** Whether a table has not moved between two looks. */
  static boolean isSameFile(TableMetadata one, TableMetadata other) {
    return String.valueOf(one.metadataFileLocation()).equals(other.metadataFileLocation());
  }

  /** Whether the rows are one batch ahead and say what the keys lack. */
  private static boolean isHalf(LedgerEntry rows, Optional<LedgerEntry> keys) {
    long before = keys.map(entry -> entry.batch().sequence()).orElse(0L);
    return rows.pending() != null && rows.batch().sequence() == before + 1;
  }

  private static Ledger checked(Optional<LedgerEntry> entry, TargetSettings settings) {
    Ledger ledger =
        entry.map(LedgerEntry::ledger).orElseGet(() -> Ledger.empty(settings.sourceEpoch()));
    if (settings.sourceEpoch() < ledger.sourceEpoch()) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "target %s: source.epoch is %d but batch %s was committed with epoch %d; an epoch is never lowered"
              .formatted(
                  settings.name(),
                  settings.sourceEpoch(),
                  ledger.lastBatch(),
                  ledger.sourceEpoch()));
    }
    return ledger;
  }

  private static OncebergException broken(
      TargetName name, Optional<LedgerEntry> rows, Optional<LedgerEntry> keys) {
    return new OncebergException(
        ErrorCode.LEDGER_BROKEN,
        "target %s: table %s stands at batch %s, table %s at batch %s; roll both back to the snapshots of one batch (see onceberg.batch-id in their snapshot summaries)"
            .formatted(name, name.rows(), batch(rows), name.keys(), batch(keys)));
  }

  private static String batch(Optional<LedgerEntry> entry) {
    return entry.map(e -> e.batch().toString()).orElse("none");
  }
}
