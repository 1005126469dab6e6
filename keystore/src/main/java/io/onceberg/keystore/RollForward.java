package io.onceberg.keystore;

import java.util.List;
import java.util.Map;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;

/**
 * Completes a commit whose rows moved and whose other tables did not. Each step looks for the batch
 * first, so it may be repeated and may run in two processes at once.
 */
final class RollForward {
  private static final int MAX_TRIES = 10;

  private RollForward() {}

  /** Brings the quarantine and the keys table to the batch of the rows table. */
  static void complete(TargetTables tables, LedgerEntry rows) {
    String pending = String.valueOf(rows.pending());
    PendingFiles files;
    try {
      files = PendingFiles.read(tables, pending);
    } catch (RuntimeException e) {
      if (holds(tables.keys(), rows.batch())) {
        return;
      }
      throw e;
    }
    LedgerEntry entry = new LedgerEntry(rows.ledger(), null);
    if (!files.quarantine().isEmpty()) {
      append(
          tables.name().quarantine(),
          tables.quarantine(),
          FileChange.append(files.quarantine()),
          entry,
          Map.of());
    }
    Map<String, String> property = Map.of(LedgerCodec.PROPERTY, LedgerCodec.property(entry));
    FileChange keys = new FileChange(files.keys(), files.merge(), KeyDrop.NONE);
    append(tables.name().keys(), tables.keys(), keys, entry, property);
    forget(tables, pending);
  }

  /** Deletes the list of files that nobody lacks any more. */
  static void forget(TargetTables tables, String pending) {
    CatalogUtil.deleteFiles(tables.rows().io(), List.of(pending), "completed roll-forward");
  }

  private static boolean holds(Table table, BatchId batch) {
    return LedgerHistory.holds(PinnedOperations.of(table).catalog().refresh(), batch);
  }

  private static void append(
      TableIdentifier name,
      Table table,
      FileChange change,
      LedgerEntry entry,
      Map<String, String> properties) {
    TableOperations catalog = PinnedOperations.of(table).catalog();
    for (int n = 1; ; n++) {
      TableMetadata now = catalog.refresh();
      if (LedgerHistory.holds(now, entry.batch())) {
        return;
      }
      StagedTable staged =
          StagedTable.of(
              name,
              PinnedOperations.table(table.name(), catalog, now),
              change,
              LedgerCodec.summary(entry),
              properties,
              SnapshotRetention.ALL);
      try {
        catalog.commit(now, staged.next());
        staged.settle(Runnable::run);
        if (!staged.merges()) {
          change.merge().deleteMerged(table.io());
        }
        return;
      } catch (CommitFailedException e) {
        staged.discard();
        if (n == MAX_TRIES) {
          throw e;
        }
      } catch (CommitStateUnknownException e) {
        if (n == MAX_TRIES) {
          throw e;
        }
      }
      Backoff.pause(n);
    }
  }
}
