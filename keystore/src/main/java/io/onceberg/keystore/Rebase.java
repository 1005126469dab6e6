package io.onceberg.keystore;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether files that were built on one standing may be appended on a later one. They may
 * when nothing happened that the join would have seen: the keys table only got maintenance, and no
 * batch was committed or taken back.
 */
final class Rebase {
  private Rebase() {}

  /** What stands in the way; empty when the same files may be appended. */
  static Optional<String> obstacle(Standing built, Standing now) {
    if (!built.ledger().equals(now.ledger())) {
      return Optional.of(
          "the ledger moved from batch %s to %s"
              .formatted(built.ledger().lastBatch(), now.ledger().lastBatch()));
    }
    String found = shape("rows", built.rows(), now.rows());
    found = found != null ? found : shape("keys", built.keys(), now.keys());
    found = found != null ? found : shape("quarantine", built.quarantine(), now.quarantine());
    found = found != null ? found : history("rows", built.rows(), now.rows(), false);
    found = found != null ? found : history("keys", built.keys(), now.keys(), true);
    found =
        found != null ? found : history("quarantine", built.quarantine(), now.quarantine(), true);
    return Optional.ofNullable(found);
  }

  /** How the schema or partitioning of a table changed; null when it did not. */
  static @Nullable String shape(String role, TableMetadata built, TableMetadata now) {
    if (!Objects.equals(built.uuid(), now.uuid())) {
      return "the " + role + " table was made anew";
    }
    return built.currentSchemaId() == now.currentSchemaId()
            && built.defaultSpecId() == now.defaultSpecId()
        ? null
        : "the schema or partitioning of the " + role + " table changed";
  }

  private static @Nullable String history(
      String role, TableMetadata built, TableMetadata now, boolean maintenanceOnly) {
    List<Snapshot> since = since(built, now);
    if (since == null) {
      return "the " + role + " table was rolled back or its history is cut off";
    }
    for (Snapshot snapshot : since) {
      if (maintenanceOnly && !DataOperations.REPLACE.equals(snapshot.operation())) {
        return "someone else did %s on the %s table (snapshot %d)"
            .formatted(snapshot.operation(), role, snapshot.snapshotId());
      }
    }
    return null;
  }

  /** The snapshots made after the built one; null when they do not lead back to it. */
  static @Nullable List<Snapshot> since(TableMetadata built, TableMetadata now) {
    Long from = built.currentSnapshot() == null ? null : built.currentSnapshot().snapshotId();
    List<Snapshot> found = new ArrayList<>();
    Snapshot snapshot = now.currentSnapshot();
    while (snapshot != null && !Objects.equals(snapshot.snapshotId(), from)) {
      found.add(snapshot);
      Long parent = snapshot.parentId();
      if (Objects.equals(parent, from)) {
        return found;
      }
      snapshot = parent == null ? null : now.snapshot(parent);
    }
    return snapshot != null || from == null ? found : null;
  }
}
