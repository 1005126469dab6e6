package io.onceberg.keystore;

import java.util.List;
import org.apache.iceberg.DataFile;

/**
 * What one commit does to the files of one table.
 *
 * @param added files that are appended
 * @param merge files that are replaced by what they were merged into
 * @param drop files that are taken out
 */
record FileChange(List<DataFile> added, KeyMerge merge, KeyDrop drop) {
  static final FileChange NONE = append(List.of());

  static FileChange append(List<DataFile> files) {
    return new FileChange(files, KeyMerge.NONE, KeyDrop.NONE);
  }

  FileChange withoutMerge() {
    return new FileChange(added, KeyMerge.NONE, drop);
  }

  /** Whether files leave the table, so that manifests are written anew. */
  boolean rewrites() {
    return !merge.isNone() || !drop.isNone();
  }
}
