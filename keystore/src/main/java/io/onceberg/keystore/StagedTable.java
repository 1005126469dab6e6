package io.onceberg.keystore;

import java.time.LocalDate;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataFile;
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
 * @param merges whether it replaces files that were merged
 * @param drops whether it takes files out
 */
record StagedTable(
    TableIdentifier name,
    PinnedOperations operations,
    TableMetadata base,
    TableMetadata next,
    @Nullable String location,
    boolean merges,
    boolean drops) {

  /**
   * Appends files, none or more, to a pinned table. Files that were merged are replaced before, in
   * a snapshot of its own that becomes visible with it; when one of them is gone, because someone
   * else rewrote it, they stay as they are.
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
      Map<String, String> properties) {
    return append(name, pinned, files, merge, KeyDrop.NONE, summary, properties);
  }

  /**
   * The same, and takes files of dropped days out of the table, in a snapshot of its own too. Those
   * of them that are gone already are left out.
   */
  static StagedTable append(
      TableIdentifier name,
      Table pinned,
      List<DataFile> files,
      KeyMerge merge,
      KeyDrop drop,
      Map<String, String> summary,
      Map<String, String> properties) {
    PinnedOperations operations = PinnedOperations.of(pinned).fresh();
    try {
      BaseTransaction change =
          (BaseTransaction) new BaseTable(operations, pinned.name()).newTransaction();
      if (!merge.isNone()) {
        replace(change, merge);
      }
      if (!drop.isNone()) {
        drop(change, drop);
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
      return new StagedTable(
          name,
          operations,
          change.startMetadata(),
          change.currentMetadata(),
          null,
          !merge.isNone(),
          !drop.isNone());
    } catch (MergedFileGoneException e) {
      CatalogUtil.deleteFiles(operations.io(), operations.written(), "staged metadata");
      return append(name, pinned, files, KeyMerge.NONE, drop, summary, properties);
    } catch (RuntimeException e) {
      CatalogUtil.deleteFiles(operations.io(), operations.written(), "staged metadata");
      throw e;
    }
  }

  private static void replace(BaseTransaction change, KeyMerge merge) {
    RewriteFiles rewrite = change.newRewrite();
    merge.replaced().forEach(rewrite::deleteFile);
    merge.merged().forEach(rewrite::addFile);
    try {
      rewrite.commit();
    } catch (ValidationException e) {
      throw new MergedFileGoneException(e);
    }
  }

  private static void drop(BaseTransaction change, KeyDrop drop) {
    DeleteFiles delete = change.newDelete();
    drop.files().forEach(delete::deleteFile);
    delete.commit();
    change
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
    return new StagedTable(name, operations, base, next, metadataFile, merges, drops);
  }

  /** The snapshot that this change adds. */
  long snapshotId() {
    return next.currentSnapshot().snapshotId();
  }

  /** Deletes the metadata of a change that can never become visible; data files stay. */
  void discard() {
    CatalogUtil.deleteFiles(operations.io(), operations.written(), "lost metadata");
  }

  /** Deletes what writing manifests anew left over, once the change is committed. */
  void settle() {
    if (!merges && !drops && !needsMerge(base)) {
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
