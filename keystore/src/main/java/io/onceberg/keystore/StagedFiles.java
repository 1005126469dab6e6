package io.onceberg.keystore;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;

/**
 * Data files that tasks wrote for one target, not visible to anyone until they are committed.
 *
 * @param merge older key files that are replaced in the same commit
 * @param drop key files that are too old to be kept and go in the same commit
 */
public record StagedFiles(
    List<DataFile> rows,
    List<DataFile> keys,
    List<DataFile> quarantine,
    KeyMerge merge,
    KeyDrop drop)
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

  public StagedFiles(
      List<DataFile> rows, List<DataFile> keys, List<DataFile> quarantine, KeyMerge merge) {
    this(rows, keys, quarantine, merge, KeyDrop.NONE);
  }

  /** The same, and these key files go. */
  StagedFiles dropping(KeyDrop dropped) {
    return new StagedFiles(rows, keys, quarantine, merge, dropped);
  }

  public StagedFiles plus(StagedFiles other) {
    return new StagedFiles(
        join(rows, other.rows),
        join(keys, other.keys),
        join(quarantine, other.quarantine),
        merge.plus(other.merge),
        drop.isNone() ? other.drop : drop);
  }

  private static List<DataFile> join(List<DataFile> left, List<DataFile> right) {
    List<DataFile> all = new ArrayList<>(left.size() + right.size());
    all.addAll(left);
    all.addAll(right);
    return all;
  }
}
