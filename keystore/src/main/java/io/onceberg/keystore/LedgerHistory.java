package io.onceberg.keystore;

import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/** Reads the ledger out of one table's history, by the precedence laid down in docs/ledger.md. */
final class LedgerHistory {
  private LedgerHistory() {}

  /** The newest ledger of the table; empty when no batch is in its history. */
  static Optional<LedgerEntry> newest(TableMetadata table) {
    Found found = find(table, batch -> true);
    return found.snapshot() == null
        ? found.property()
        : LedgerCodec.fromSummary(found.snapshot().summary());
  }

  /** Whether a batch is in the table's history. */
  static boolean holds(TableMetadata table, BatchId batch) {
    Found found = find(table, batch.toString()::equals);
    return found.snapshot() != null
        || found.property().filter(entry -> entry.batch().equals(batch)).isPresent();
  }

  /** Walks back to the first snapshot whose batch is wanted, or to where history is cut off. */
  private static Found find(TableMetadata table, Predicate<String> wanted) {
    Snapshot snapshot = table.currentSnapshot();
    while (snapshot != null) {
      String batch = batch(snapshot);
      if (batch != null && wanted.test(batch)) {
        return new Found(snapshot, Optional.empty());
      }
      Snapshot parent = parent(table, snapshot);
      if (parent == null && !isFirst(snapshot)) {
        return new Found(null, property(table));
      }
      snapshot = parent;
    }
    return new Found(null, Optional.empty());
  }

  private static @Nullable String batch(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    return summary == null ? null : summary.get(LedgerCodec.BATCH_ID);
  }

  private static @Nullable Snapshot parent(TableMetadata table, Snapshot snapshot) {
    Long id = snapshot.parentId();
    return id == null ? null : table.snapshot(id);
  }

  /** Whether nothing ever came before: an expired parent leaves its id or a gap in the numbers. */
  private static boolean isFirst(Snapshot snapshot) {
    return snapshot.parentId() == null && snapshot.sequenceNumber() <= 1;
  }

  private static Optional<LedgerEntry> property(TableMetadata table) {
    return Optional.ofNullable(table.property(LedgerCodec.PROPERTY, null))
        .map(LedgerCodec::fromProperty);
  }

  private record Found(@Nullable Snapshot snapshot, Optional<LedgerEntry> property) {}
}
