package io.onceberg.keystore;

import io.onceberg.keystore.keyfile.KeyMemory;

/** The indexes and filters of key files that this JVM keeps between batches. */
public final class KeyIndexes {
  private KeyIndexes() {}

  /** About how many bytes of heap they take. */
  public static long bytes() {
    return KeyMemory.bytes();
  }

  /** Of how many files there are indexes. */
  public static int files() {
    return KeyMemory.files();
  }

  /** Forgets them: they are read again from the files when they are needed. */
  public static void forgetAll() {
    KeyMemory.forgetAll();
  }
}
