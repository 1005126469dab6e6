package io.onceberg.keystore;

import static org.apache.iceberg.TableProperties.GC_ENABLED;
import static org.apache.iceberg.TableProperties.GC_ENABLED_DEFAULT;
import static org.apache.iceberg.TableProperties.MAX_SNAPSHOT_AGE_MS;
import static org.apache.iceberg.TableProperties.MIN_SNAPSHOTS_TO_KEEP;

import java.util.List;
import java.util.OptionalLong;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;

/**
 * Which snapshots of a table stay. Those that a branch, a tag or the table's own properties {@code
 * history.expire.*} ask for stay as well, and under {@code gc.enabled=false} all do.
 *
 * @param millis the age, counted to the newest one, from which a snapshot goes
 * @param least so many stay whatever their age
 * @param most so many stay at most whatever their age
 */
record SnapshotRetention(long millis, int least, int most) {
  static final long EVER = Long.MAX_VALUE;

  /** Drops nothing. */
  static final SnapshotRetention ALL =
      new SnapshotRetention(EVER, Integer.MAX_VALUE, Integer.MAX_VALUE);

  /** Dropping has a price of its own, so it waits until it is worth it. */
  static final int AT_ONCE = 20;

  /** How many of a table's snapshots stay whatever their age. */
  int least(TableMetadata table) {
    return Math.max(least, table.propertyAsInt(MIN_SNAPSHOTS_TO_KEEP, 1));
  }

  /** The time in milliseconds before which snapshots go; empty while too few would. */
  OptionalLong cutoff(TableMetadata table) {
    List<Snapshot> snapshots = table.snapshots();
    int count = snapshots.size();
    if (count - AT_ONCE < least(table)
        || !table.propertyAsBoolean(GC_ENABLED, GC_ENABLED_DEFAULT)) {
      return OptionalLong.empty();
    }
    long newest = table.currentSnapshot().timestampMillis();
    long cutoff = millis == EVER ? Long.MIN_VALUE : newest - millis;
    if (count > most) {
      cutoff = Math.max(cutoff, snapshots.get(count - most).timestampMillis());
    }
    if (table.properties().containsKey(MAX_SNAPSHOT_AGE_MS)) {
      cutoff = Math.min(cutoff, newest - table.propertyAsLong(MAX_SNAPSHOT_AGE_MS, 0));
    }
    return snapshots.get(AT_ONCE - 1).timestampMillis() < cutoff
        ? OptionalLong.of(cutoff)
        : OptionalLong.empty();
  }
}
