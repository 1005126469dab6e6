package io.onceberg.keystore;

import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.ExpireSnapshots;
import org.apache.iceberg.ExpireSnapshots.CleanupLevel;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.metrics.MetricsReporter;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Old snapshots that go with a batch's commit.
 *
 * <p>The commit drops them from the metadata, so they and the batch move at one instant and nothing
 * conflicts with anything. What only they held is deleted after the commit is known: a crash in
 * between leaves files that nobody needs, never a snapshot without its files.
 *
 * <p>Iceberg finds those files by reading the manifest list of every snapshot that stays. Where all
 * snapshots lie on one line, the oldest that stays tells as much: what it does not hold, no later
 * one does. So Iceberg is asked about a table that ends there.
 *
 * @param before the table with the snapshots
 * @param dropped the same without
 */
record SnapshotExpiry(TableMetadata before, TableMetadata dropped) {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotExpiry.class);
  private static final MetricsReporter NO_REPORT = report -> {};

  /** Drops what need not stay from a change under way; null when there is too little of it. */
  static @Nullable SnapshotExpiry drop(BaseTransaction change, SnapshotRetention retention) {
    TableMetadata before = change.currentMetadata();
    OptionalLong cutoff = retention.cutoff(before);
    if (cutoff.isEmpty()) {
      return null;
    }
    change
        .expireSnapshots()
        .expireOlderThan(cutoff.getAsLong())
        .retainLast(retention.least(before))
        .cleanupLevel(CleanupLevel.NONE)
        .commit();
    return new SnapshotExpiry(before, change.currentMetadata());
  }

  /** Deletes the files that only the dropped snapshots held; once the commit is known. */
  void deleteFiles(TableOperations table) {
    try {
      Set<Long> kept = new HashSet<>();
      dropped.snapshots().forEach(snapshot -> kept.add(snapshot.snapshotId()));
      List<Snapshot> gone =
          before.snapshots().stream().filter(s -> !kept.contains(s.snapshotId())).toList();
      Snapshot oldest = isOneLine() ? oldestKept(kept) : null;
      if (oldest == null) {
        Ended ended = new Ended(table, before);
        ExpireSnapshots expiry =
            new BaseTable(ended, before.location(), NO_REPORT).expireSnapshots();
        gone.forEach(snapshot -> expiry.expireSnapshotId(snapshot.snapshotId()));
        expiry.expireOlderThan(0).commit();
      } else {
        Ended ended = new Ended(table, endedAt(oldest, kept));
        new BaseTable(ended, before.location(), NO_REPORT)
            .expireSnapshots()
            .expireOlderThan(Long.MAX_VALUE)
            .retainLast(1)
            .commit();
      }
      LOG.debug("{} snapshots of {} and their files are gone", gone.size(), before.location());
    } catch (RuntimeException e) {
      LOG.warn("files of dropped snapshots stay behind in {}: {}", before.location(), e.toString());
    }
  }

  /** Whether every snapshot is an ancestor of the current one and no branch or tag holds any. */
  private boolean isOneLine() {
    int line = SnapshotUtil.ancestorIds(before.currentSnapshot(), before::snapshot).size();
    return before.refs().size() == 1 && line == before.snapshots().size();
  }

  private @Nullable Snapshot oldestKept(Set<Long> kept) {
    Snapshot oldest = null;
    for (Snapshot s :
        SnapshotUtil.ancestorsOf(before.currentSnapshot().snapshotId(), before::snapshot)) {
      if (!kept.contains(s.snapshotId())) {
        return oldest;
      }
      oldest = s;
    }
    return null;
  }

  private TableMetadata endedAt(Snapshot oldest, Set<Long> kept) {
    Set<Long> later = new HashSet<>(kept);
    later.remove(oldest.snapshotId());
    return TableMetadata.buildFrom(before)
        .setRef(SnapshotRef.MAIN_BRANCH, SnapshotRef.branchBuilder(oldest.snapshotId()).build())
        .removeSnapshots(later)
        .discardChanges()
        .build();
  }

  /** A table that exists in memory only, so that Iceberg can clean up after it. */
  private static final class Ended implements TableOperations {
    private final TableOperations table;
    private TableMetadata metadata;

    Ended(TableOperations table, TableMetadata metadata) {
      this.table = table;
      this.metadata = metadata;
    }

    @Override
    public TableMetadata current() {
      return metadata;
    }

    @Override
    public TableMetadata refresh() {
      return metadata;
    }

    @Override
    public void commit(TableMetadata base, TableMetadata next) {
      metadata = next;
    }

    @Override
    public FileIO io() {
      return table.io();
    }

    @Override
    public EncryptionManager encryption() {
      return table.encryption();
    }

    @Override
    public String metadataFileLocation(String fileName) {
      throw new UnsupportedOperationException("nothing is written here");
    }

    @Override
    public LocationProvider locationProvider() {
      return table.locationProvider();
    }
  }
}
