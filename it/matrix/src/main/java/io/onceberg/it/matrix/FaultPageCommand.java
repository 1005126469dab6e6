package io.onceberg.it.matrix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Writes docs/faults.md from the results of the whole suite, or fails where the page says anything
 * else than they do.
 */
public final class FaultPageCommand {
  private FaultPageCommand() {}

  /**
   * {@code check|write PAGE DIRECTORY...}, the directories being those that modules have left their
   * results in. Exit status 1 when the page or the run is not what it should be.
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 3 || !List.of("check", "write").contains(arguments[0])) {
      throw new IllegalArgumentException("usage: check|write PAGE DIRECTORY...");
    }
    Path page = Path.of(arguments[1]);
    String before = Files.exists(page) ? Files.readString(page) : "";
    List<Cell> cells = read(Arrays.asList(arguments).subList(2, arguments.length));
    FaultPage made = new FaultPage(cells, before);
    List<String> faults = new ArrayList<>(made.faults());
    if (arguments[0].equals("write")) {
      Files.writeString(page, made.text());
    } else {
      faults.addAll(made.differences(before));
    }
    faults.forEach(fault -> System.out.println(page + ": " + fault));
    System.out.printf("%s: %d results, %d faults%n", page, cells.size(), faults.size());
    System.exit(faults.isEmpty() ? 0 : 1);
  }

  static List<Cell> read(List<String> directories) throws IOException {
    List<Cell> cells = new ArrayList<>();
    for (String directory : directories) {
      try (Stream<Path> files = Files.list(Path.of(directory))) {
        for (Path file : files.sorted().toList()) {
          cells.add(Cell.parse(Files.readString(file)));
        }
      }
    }
    return cells;
  }
}
