package io.onceberg.it.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The directory of one run: one that the user keeps, or a temporary one that is deleted. */
public final class Scratch implements AutoCloseable {
  private final Path root;
  private final boolean temporary;

  private Scratch(Path root, boolean temporary) {
    this.root = root;
    this.temporary = temporary;
  }

  public static Scratch in(@Nullable Path keep) {
    try {
      if (keep == null) {
        return new Scratch(Files.createTempDirectory("onceberg-bench-"), true);
      }
      Files.createDirectories(keep);
      try (Stream<Path> entries = Files.list(keep)) {
        if (entries.findAny().isPresent()) {
          throw new BenchException("--keep needs an empty directory, and " + keep + " is not");
        }
      }
      return new Scratch(keep.toAbsolutePath(), false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Path root() {
    return root;
  }

  @Override
  public void close() {
    if (temporary) {
      delete(root);
    }
  }

  /** Deletes a directory with all in it, where there is one. */
  public static void delete(Path tree) {
    if (!Files.exists(tree)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(tree)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
