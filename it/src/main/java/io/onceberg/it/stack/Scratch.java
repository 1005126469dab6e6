package io.onceberg.it.stack;

import java.nio.file.Path;

/** Directories that are deleted when the program ends, whichever way it does. */
public final class Scratch {
  private Scratch() {}

  /** A new directory, of this user alone. */
  public static Path directory(String name) {
    return Owned.temporaryDirectory(name);
  }

  /** Deletes a directory now. */
  public static void delete(Path directory) {
    Owned.deleteTree(directory);
  }

  /** Deletes this directory too, which need not exist yet, when the program ends. */
  public static void deleteAtEnd(Path directory) {
    Owned.deleteAtEnd(directory);
  }
}
