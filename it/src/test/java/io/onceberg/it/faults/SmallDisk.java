package io.onceberg.it.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A file system of a few megabytes of its own (tmpfs), which can be full and read-only for
 * everyone, root included. It takes root to make one. Those that a killed program has left are
 * unmounted when the next is made.
 */
final class SmallDisk implements AutoCloseable {
  private static final String NAME = "onceberg-test-";
  private static final int MEGABYTES = 48;

  private final Path root;
  private final Path filler;

  private SmallDisk(Path root) {
    this.root = root;
    this.filler = root.resolve("filler");
  }

  /** Whether this program may make one. */
  static boolean isAllowed() {
    return "root".equals(System.getProperty("user.name"));
  }

  static SmallDisk mount(Path where) throws IOException {
    unmountLeftovers();
    Files.createDirectories(where);
    run("mount", "-t", "tmpfs", "-o", "size=" + MEGABYTES + "m", name(), where.toString());
    return new SmallDisk(where);
  }

  private static String name() {
    return NAME + ProcessHandle.current().pid();
  }

  private static void unmountLeftovers() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/mounts"))) {
      List<String> fields = List.of(line.split(" ", -1));
      if (fields.get(0).startsWith(NAME)) {
        long owner = Long.parseLong(fields.get(0).substring(NAME.length()));
        if (ProcessHandle.of(owner).isEmpty()) {
          run("umount", "-l", fields.get(1));
        }
      }
    }
  }

  Path root() {
    return root;
  }

  /** Takes all room but so many bytes. */
  void fill(long leave) {
    try (FileChannel file =
        FileChannel.open(filler, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      long wanted = Files.getFileStore(root).getUsableSpace() - leave;
      ByteBuffer zeros = ByteBuffer.allocate(4_096);
      for (long written = 0; written + zeros.capacity() <= wanted; written += zeros.capacity()) {
        file.write(zeros.clear());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Gives the room back. */
  void free() throws IOException {
    Files.deleteIfExists(filler);
  }

  /** Fails while someone has a file open for writing. */
  void readOnly(boolean yes) throws IOException {
    run("mount", "-o", yes ? "remount,ro" : "remount,rw", root.toString());
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(String.join(" ", command) + ": " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() throws IOException {
    run("umount", "-l", root.toString());
  }
}
