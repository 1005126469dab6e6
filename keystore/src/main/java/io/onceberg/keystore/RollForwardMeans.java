package io.onceberg.keystore;

import java.util.List;
import java.util.Map;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.jspecify.annotations.Nullable;

/**
 * A catalog that moves one table at a time. The rows move first and name, in their summary, the
 * file that lists what the others still lack; then the quarantine, then the keys. Once the rows
 * have moved the batch is committed: whoever loads the target next completes it (see {@link
 * PendingFiles}). The keys come last, so that equal ledgers mean that nothing is lacking.
 */
final class RollForwardMeans implements CommitMeans {
  private final String catalogType;

  RollForwardMeans(String catalogType) {
    this.catalogType = catalogType;
  }

  @Override
  public String described() {
    return "roll-forward, rows first and keys after (" + catalogType + ")";
  }

  @Override
  public boolean atomic() {
    return false;
  }

  @Override
  public StagedTable prepare(StagedTable staged) {
    return staged;
  }

  @Override
  public Move move(List<StagedTable> staged) {
    String lost = moved(staged);
    if (lost != null) {
      return new Lost(lost);
    }
    try {
      commit(staged.get(0));
    } catch (CommitFailedException e) {
      return new Lost(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      return new Unknown(e);
    }
    return follow(staged);
  }

  /** Which table is not where it was; a table that cannot be looked at is not. */
  private static @Nullable String moved(List<StagedTable> staged) {
    for (StagedTable table : staged) {
      try {
        if (!isSame(table.base(), table.operations().catalog().refresh())) {
          return table.name() + " no longer stands at " + table.base().metadataFileLocation();
        }
      } catch (RuntimeException e) {
        return table.name() + " cannot be loaded: " + e.getMessage();
      }
    }
    return null;
  }

  private static Move follow(List<StagedTable> staged) {
    CrashPoint.ROWS_COMMITTED.reached();
    try {
      if (staged.size() > 2) {
        commit(staged.get(1));
        CrashPoint.QUARANTINE_COMMITTED.reached();
      }
      commit(staged.get(staged.size() - 1));
      return new Moved(Map.of());
    } catch (RuntimeException e) {
      return new Unknown(e);
    }
  }

  private static void commit(StagedTable table) {
    TableOperations catalog = table.operations().catalog();
    TableMetadata now = catalog.current();
    if (!isSame(table.base(), now)) {
      throw new CommitFailedException("%s has moved", table.name());
    }
    // the catalog compares by identity
    catalog.commit(now, table.next());
  }

  private static boolean isSame(TableMetadata base, TableMetadata now) {
    return now != null
        && base.metadataFileLocation() != null
        && base.metadataFileLocation().equals(now.metadataFileLocation());
  }
}
