package io.onceberg.keystore.keyfile;

/** What this JVM remembers of key files between batches. */
public final class KeyMemory {
  private KeyMemory() {}

  /** About how many bytes indexes and filters take. */
  public static long bytes() {
    return FileIndexes.SHARED.weight();
  }

  /** Of how many files there are indexes. */
  public static int files() {
    return FileIndexes.SHARED.count();
  }

  /** Forgets all, as a new JVM has nothing. */
  public static void forgetAll() {
    FileIndexes.SHARED.clear();
  }
}
