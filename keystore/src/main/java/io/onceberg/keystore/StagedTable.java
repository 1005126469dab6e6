package io.onceberg.keystore;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/**
 * One table's part of a commit: its manifests are written, nothing is visible.
 *
 * @param operations the pin that the change was made on
 * @param base what the table must still be when it is moved
 * @param next what it becomes
 * @param location the metadata file of {@code next}; null where the catalog writes it
 */
record StagedTable(
    TableIdentifier name,
    PinnedOperations operations,
    TableMetadata base,
    TableMetadata next,
    @Nullable String location) {

  /**
   * Appends files, none or more, to a pinned table.
   *
   * @param summary goes into the snapshot's summary
   * @param properties table properties to change with it
   */
  static StagedTable append(
      TableIdentifier name,
      Table pinned,
      List<DataFile> files,
      Map<String, String> summary,
      Map<String, String> properties) {
    PinnedOperations operations = PinnedOperations.of(pinned).fresh();
    try {
      BaseTransaction change =
          (BaseTransaction) new BaseTable(operations, pinned.name()).newTransaction();
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
          name, operations, change.startMetadata(), change.currentMetadata(), null);
    } catch (RuntimeException e) {
      CatalogUtil.deleteFiles(operations.io(), operations.written(), "staged metadata");
      throw e;
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
    return new StagedTable(name, operations, base, next, metadataFile);
  }

  /** The snapshot that this change adds. */
  long snapshotId() {
    return next.currentSnapshot().snapshotId();
  }

  /** Deletes the metadata of a change that can never become visible; data files stay. */
  void discard() {
    CatalogUtil.deleteFiles(operations.io(), operations.written(), "lost metadata");
  }

  /** Deletes what merging manifests left over, once the change is committed. */
  void settle() {
    if (!needsMerge(base)) {
      return;
    }
    List<String> left = new ArrayList<>(operations.written());
    left.remove(location);
    left.remove(next.currentSnapshot().manifestListLocation());
    for (ManifestFile manifest : next.currentSnapshot().allManifests(operations.io())) {
      left.remove(manifest.path());
    }
    CatalogUtil.deleteFiles(operations.io(), left, "merged manifests");
  }
}
