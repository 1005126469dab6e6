package io.onceberg.keystore;

import java.time.LocalDate;

/**
 * What became of the files of a keys table.
 *
 * @param left files that could not be merged: they lie in no day's partition, or the daemon merged
 *     files of that day itself whenever it was tried
 */
public record KeyCompacted(
    int filesBefore, long bytesBefore, int filesAfter, long bytesAfter, int left) {
  /**
   * Files of one day that were written anew as fewer.
   *
   * @param into the number of new files
   */
  public record Merged(LocalDate day, int files, int into, long keys) {}
}
