package io.onceberg.keystore;

import java.io.Serializable;

/**
 * How the keys table is kept and searched.
 *
 * @param filterMemory the bytes that indexes and filters of key files may take in one JVM, of all
 *     targets together; 0 for an eighth of its heap
 * @param mergeWidth how many key files of a day may lie side by side before they are merged
 */
public record KeySettings(long filterMemory, int mergeWidth) implements Serializable {
  public static final KeySettings DEFAULT = new KeySettings(0, 8);

  private static final int SHARE_OF_HEAP = 8;

  public KeySettings {
    if (filterMemory < 0 || mergeWidth < 2) {
      throw new IllegalArgumentException(
          "filter memory %d, merge width %d".formatted(filterMemory, mergeWidth));
    }
  }

  /** The limit in bytes for this JVM. */
  long filterMemoryHere() {
    return filterMemory > 0 ? filterMemory : Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
  }
}
