package io.onceberg.keystore;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataFile;
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
 * @param merges whether it replaces files that were merged
 * @param expiry the old snapshots that it drops; null for none
 */
record StagedTable(
    TableIdentifier name,
    PinnedOperations operations,
    TableMetadata base,
    TableMetadata next,
    @Nullable String location,
    boolean merges,
    @Nullable SnapshotExpiry expiry) {

  /**
   * Appends files, none or more, to a pinned table. Files that were merged are replaced before, in
   * a snapshot of its own that becomes visible with it; when one of them is gone, because someone
   * else rewrote it, they stay as they are. Snapshots that need not stay are dropped.
   *
   * @param summary goes into the snapshot's summary
   * @param properties table properties to change with it
   */
  static StagedTable append(
      TableIdentifier name,
      Table pinned,
      List<DataFile> files,
      KeyMerge merge,
      Map<String, String> summary,
      Map<String, String> properties,
      SnapshotRetention retention) {
    PinnedOperations operations = PinnedOperations.of(pinned).fresh();
    try {
      BaseTransaction change =
          (BaseTransaction) new BaseTable(operations, pinned.name()).newTransaction();
      if (!merge.isNone()) {
        replace(change, merge);
      }
      AppendFiles append =
          needsMerge(operations.current()) ? change.newAppend() : change.newFastAppend();
      files.forEach(append::appendFile);
      summary.forEach(append::set);
      append.commit();
      if (!properties.isEmpty()) {
        var update = change.updateProperties();
        properties.forEach(update::set);
        update.commit();
      }
      SnapshotExpiry expiry = SnapshotExpiry.drop(change, retention);
      return new StagedTable(
          name,
          operations,
          change.startMetadata(),
          change.currentMetadata(),
          null,
          !merge.isNone(),
          expiry);
    } catch (MergedFileGoneException e) {
      CatalogUtil.deleteFiles(operations.io(), operations.written(), "staged metadata");
      return append(name, pinned, files, KeyMerge.NONE, summary, properties, retention);
    } catch (RuntimeException e) {
      CatalogUtil.deleteFiles(operations.io(), operations.written(), "staged metadata");
      throw e;
    }
  }

  private static void replace(BaseTransaction change, KeyMerge merge) {
    RewriteFiles rewrite = change.newRewrite();
    merge.addTo(rewrite, change.startMetadata().currentSnapshot());
    try {
      rewrite.commit();
    } catch (ValidationException e) {
      throw new MergedFileGoneException(e);
    }
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
    return new StagedTable(name, operations, base, next, metadataFile, merges, expiry);
  }

  /** The snapshot that this change adds. */
  long snapshotId() {
    return next.currentSnapshot().snapshotId();
  }

  /** Deletes the metadata of a change that can never become visible; data files stay. */
  void discard() {
    CatalogUtil.deleteFiles(operations.io(), operations.written(), "lost metadata");
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
    if (!merges && !needsMerge(base)) {
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
