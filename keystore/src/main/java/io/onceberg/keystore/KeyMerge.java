package io.onceberg.keystore;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.io.FileIO;

/**
 * Key files that were written anew as fewer, larger ones.
 *
 * @param replaced files of the snapshot that the batch was built on
 * @param merged staged files with the same rows
 */
public record KeyMerge(List<DataFile> replaced, List<DataFile> merged) implements Serializable {
  public static final KeyMerge NONE = new KeyMerge(List.of(), List.of());

  public KeyMerge {
    replaced = List.copyOf(replaced);
    merged = List.copyOf(merged);
    if (replaced.isEmpty() != merged.isEmpty() || rows(replaced) != rows(merged)) {
      throw new IllegalArgumentException(
          "%d rows of %d files merged into %d rows of %d files"
              .formatted(rows(replaced), replaced.size(), rows(merged), merged.size()));
    }
  }

  boolean isNone() {
    return replaced.isEmpty();
  }

  /**
   * Puts the replacement into a rewrite of a table that has this snapshot. Without it Iceberg wants
   * to see all of the table's history, and refuses once some of it has expired.
   */
  void addTo(RewriteFiles rewrite, Snapshot current) {
    rewrite.validateFromSnapshot(current.snapshotId());
    replaced.forEach(rewrite::deleteFile);
    merged.forEach(rewrite::addFile);
  }

  /** Deletes the new files, which no table took. */
  void deleteMerged(FileIO io) {
    CatalogUtil.deleteFiles(
        io, merged.stream().map(DataFile::location).toList(), "merged key files");
  }

  KeyMerge plus(KeyMerge other) {
    return isNone()
        ? other
        : new KeyMerge(join(replaced, other.replaced), join(merged, other.merged));
  }

  private static List<DataFile> join(List<DataFile> left, List<DataFile> right) {
    List<DataFile> all = new ArrayList<>(left);
    all.addAll(right);
    return all;
  }

  private static long rows(List<DataFile> files) {
    return files.stream().mapToLong(DataFile::recordCount).sum();
  }
}
