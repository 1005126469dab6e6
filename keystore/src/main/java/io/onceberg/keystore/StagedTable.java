package io.onceberg.keystore;

import java.time.LocalDate;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DeleteFiles;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ValidationException;
import org.jspecify.annotations.Nullable;

/**
 * One table's part of a commit: its manifests are written, nothing is visible.
 *
 * @param operations the pin that the change was made on
 * @param base what the table must still be when it is moved
 * @param next what it becomes
 * @param location the metadata file of {@code next}; null where the catalog writes it
 * @param change what is done to its files
 * @param expiry the old snapshots that it drops; null for none
 */
record StagedTable(
    TableIdentifier name,
    PinnedOperations operations,
    TableMetadata base,
    TableMetadata next,
    @Nullable String location,
    FileChange change,
    @Nullable SnapshotExpiry expiry) {

  /**
   * Stages a change of a pinned table. Files that were merged are replaced, and files of dropped
   * days taken out, each in a snapshot of its own that becomes visible with the files appended.
   * When a merged file is gone, because someone else rewrote it, the merge is left out; dropped
   * files that are gone are passed over. Snapshots that need not stay are dropped.
   *
   * @param summary goes into the last snapshot's summary
   * @param properties table properties to change with it
   */
  static StagedTable of(
      TableIdentifier name,
      Table pinned,
      FileChange change,
      Map<String, String> summary,
      Map<String, String> properties,
      SnapshotRetention retention) {
    PinnedOperations operations = PinnedOperations.of(pinned).fresh();
    try {
      BaseTransaction transaction =
          (BaseTransaction) new BaseTable(operations, pinned.name()).newTransaction();
      if (!change.merge().isNone()) {
        replace(transaction, change.merge());
      }
      if (!change.drop().isNone()) {
        drop(transaction, change.drop());
      }
      AppendFiles append =
          needsMerge(operations.current()) ? transaction.newAppend() : transaction.newFastAppend();
      change.added().forEach(append::appendFile);
      summary.forEach(append::set);
      append.commit();
      if (!properties.isEmpty()) {
        var update = transaction.updateProperties();
        properties.forEach(update::set);
        update.commit();
      }
      SnapshotExpiry expiry = SnapshotExpiry.drop(transaction, retention);
      return new StagedTable(
          name,
          operations,
          transaction.startMetadata(),
          transaction.currentMetadata(),
          null,
          change,
          expiry);
    } catch (MergedFileGoneException e) {
      CatalogUtil.deleteFiles(operations.io(), operations.written(), "staged metadata");
      return of(name, pinned, change.withoutMerge(), summary, properties, retention);
    } catch (RuntimeException e) {
      CatalogUtil.deleteFiles(operations.io(), operations.written(), "staged metadata");
      throw e;
    }
  }

  private static void replace(BaseTransaction transaction, KeyMerge merge) {
    RewriteFiles rewrite = transaction.newRewrite();
    merge.addTo(rewrite, transaction.startMetadata().currentSnapshot());
    try {
      rewrite.commit();
    } catch (ValidationException e) {
      throw new MergedFileGoneException(e);
    }
  }

  private static void drop(BaseTransaction transaction, KeyDrop drop) {
    DeleteFiles delete = transaction.newDelete();
    drop.files().forEach(delete::deleteFile);
    delete.commit();
    transaction
        .updateProperties()
        .set(TableMarks.DROPPED_BEFORE, LocalDate.ofEpochDay(drop.before()).toString())
        .commit();
  }

  /** A file that was merged is no longer in the table. */
  private static final class MergedFileGoneException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MergedFileGoneException(ValidationException cause) {
      super(cause);
    }
  }

  /** Fast appends add a manifest each; from time to time they are merged, as Iceberg would. */
  private static boolean needsMerge(TableMetadata base) {
    Snapshot snapshot = base.currentSnapshot();
    return snapshot != null
        && count(snapshot, SnapshotSummary.CREATED_MANIFESTS_COUNT)
                + count(snapshot, SnapshotSummary.KEPT_MANIFESTS_COUNT)
            >= base.propertyAsInt(
                TableProperties.MANIFEST_MIN_MERGE_COUNT,
                TableProperties.MANIFEST_MIN_MERGE_COUNT_DEFAULT);
  }

  private static long count(Snapshot snapshot, String key) {
    return Long.parseLong(snapshot.summary().getOrDefault(key, "0"));
  }

  StagedTable at(String metadataFile) {
    return new StagedTable(name, operations, base, next, metadataFile, change, expiry);
  }

  /** The snapshot that this change adds. */
  long snapshotId() {
    return next.currentSnapshot().snapshotId();
  }

  /** Deletes the metadata of a change that can never become visible; data files stay. */
  void discard() {
    CatalogUtil.deleteFiles(operations.io(), operations.written(), "lost metadata");
  }

  /** Whether it replaces files that were merged. */
  boolean merges() {
    return !change.merge().isNone();
  }

  /** Whether this is one of the few changes that tidy up: snapshots dropped, manifests merged. */
  boolean tidiesUp() {
    return expiry != null || needsMerge(base);
  }

  /** Deletes what nobody needs any more, once the change is committed. */
  void settle(Executor cleanup) {
    deleteLeftManifests();
    if (expiry != null) {
      cleanup.execute(() -> expiry.deleteFiles(operations));
    }
  }

  private void deleteLeftManifests() {
    if (!change.rewrites() && !needsMerge(base)) {
      return;
    }
    Set<String> left = new HashSet<>(operations.written());
    left.remove(location);
    for (Snapshot snapshot : next.snapshots()) {
      if (base.snapshot(snapshot.snapshotId()) == null) {
        left.remove(snapshot.manifestListLocation());
        for (ManifestFile manifest : snapshot.allManifests(operations.io())) {
          left.remove(manifest.path());
        }
      }
    }
    CatalogUtil.deleteFiles(operations.io(), left, "merged manifests");
  }
}
