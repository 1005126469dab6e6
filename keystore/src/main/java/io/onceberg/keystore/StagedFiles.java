package io.onceberg.keystore;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;

/**
 * Data files that tasks wrote for one target, not visible to anyone until they are committed.
 *
 * @param merge older key files that are replaced in the same commit
 */
public record StagedFiles(
    List<DataFile> rows, List<DataFile> keys, List<DataFile> quarantine, KeyMerge merge)
    implements Serializable {
  public static final StagedFiles NONE = new StagedFiles(List.of(), List.of(), List.of());

  public StagedFiles {
    rows = List.copyOf(rows);
    keys = List.copyOf(keys);
    quarantine = List.copyOf(quarantine);
  }

  public StagedFiles(List<DataFile> rows, List<DataFile> keys, List<DataFile> quarantine) {
    this(rows, keys, quarantine, KeyMerge.NONE);
  }

  public StagedFiles plus(StagedFiles other) {
    return new StagedFiles(
        join(rows, other.rows),
        join(keys, other.keys),
        join(quarantine, other.quarantine),
        merge.plus(other.merge));
  }

  private static List<DataFile> join(List<DataFile> left, List<DataFile> right) {
    List<DataFile> all = new ArrayList<>(left.size() + right.size());
    all.addAll(left);
    all.addAll(right);
    return all;
  }
}
