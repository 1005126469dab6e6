package io.onceberg.keystore;

import java.io.Serializable;
import java.util.OptionalInt;

/**
 * How the keys table is kept and searched.
 *
 * @param filterMemory the bytes that indexes and filters of key files may take in one JVM, of all
 *     targets together; 0 for an eighth of its heap
 * @param mergeWidth how many key files of a day may lie side by side before they are merged
 * @param retentionDays for how many days keys are kept; 0 for ever
 * @param pastDaysBeside whether someone has the keys of past days merged beside the batches ({@link
 *     KeysTable#compactBefore}); batches then leave those files alone
 */
public record KeySettings(
    long filterMemory, int mergeWidth, int retentionDays, boolean pastDaysBeside)
    implements Serializable {
  public static final KeySettings DEFAULT = new KeySettings(0, 8);

  private static final int SHARE_OF_HEAP = 8;

  public KeySettings {
    if (filterMemory < 0 || mergeWidth < 2 || retentionDays < 0) {
      throw new IllegalArgumentException(
          "filter memory %d, merge width %d, retention %d"
              .formatted(filterMemory, mergeWidth, retentionDays));
    }
  }

  /** Settings under which batches merge the keys of past days. */
  public KeySettings(long filterMemory, int mergeWidth, int retentionDays) {
    this(filterMemory, mergeWidth, retentionDays, false);
  }

  /** Settings that keep keys for ever. */
  public KeySettings(long filterMemory, int mergeWidth) {
    this(filterMemory, mergeWidth, 0);
  }

  /** The first day whose keys are kept on a day; empty where all are. Days since the epoch. */
  OptionalInt keptFrom(int today) {
    return retentionDays == 0 ? OptionalInt.empty() : OptionalInt.of(today - retentionDays);
  }

  /** The limit in bytes for this JVM. */
  long filterMemoryHere() {
    return filterMemory > 0 ? filterMemory : Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
  }
}
