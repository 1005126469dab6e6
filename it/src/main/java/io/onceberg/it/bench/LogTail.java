package io.onceberg.it.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the lines that another process appends to a file, each once. */
final class LogTail {
  private final Path file;
  private long position;
  private String unfinished = "";

  LogTail(Path file) {
    this.file = file;
  }

  /** The whole lines that were added since the last call. */
  List<String> more() {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      byte[] added = new byte[(int) (in.length() - position)];
      in.seek(position);
      in.readFully(added);
      position += added.length;
      return lines(new String(added, UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> lines(String added) {
    List<String> lines = new ArrayList<>(List.of((unfinished + added).split("\n", -1)));
    unfinished = lines.remove(lines.size() - 1);
    return lines;
  }
}
