package io.onceberg.keystore;

import java.io.Serializable;
import java.util.List;
import org.apache.iceberg.DataFile;

/**
 * Key files of days that are older than keys are kept: the commit of a batch takes them out of the
 * keys table.
 *
 * @param before the first day that is kept, days since the epoch
 * @param files all files of the days before it
 */
public record KeyDrop(int before, List<DataFile> files) implements Serializable {
  public static final KeyDrop NONE = new KeyDrop(Integer.MIN_VALUE, List.of());

  public KeyDrop {
    files = List.copyOf(files);
  }

  boolean isNone() {
    return files.isEmpty();
  }
}
