package io.onceberg.it.matrix;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** docs/faults.md, made of the results of a run. */
final class FaultPage {
  private static final String CONTAINERS = "containers";
  private static final String HEAD =
      """
      # Faults, and what a user sees of them

      Made of the results of the suite, by `%s` at the end of `.ci/run`; do not edit ([testing.md](testing.md) says how to renew it).
      Every line is a test that has passed against real parts: a Kafka broker, PostgreSQL, Iceberg tables in a real catalog. "Nothing lost, nothing twice" means that rows,
      keys and ledger were compared with what the source recorded: no event missing, none extra, one key for each row, the ledger at the ends of the topics.
      """;
  private static final String CASES =
      """

      # Known cases

      Small inputs that made other systems lose, repeat or corrupt data, and the tests that hold them here.

      | case | input | tests |
      |---|---|---|
      """;

  private final Map<String, Cell> passed = new TreeMap<>();
  private final Map<String, Set<String>> stacks = new TreeMap<>();
  private final Set<String> failed = new TreeSet<>();

  /**
   * Takes the results of a run.
   *
   * @param page the page as it is: tests keep their containers where none have run on any
   */
  FaultPage(List<Cell> cells, String page) {
    for (Cell cell : cells) {
      if (cell.passed()) {
        passed.put(cell.test(), cell);
        stacks.computeIfAbsent(cell.test(), test -> new TreeSet<>()).add(cell.stack());
      } else {
        failed.add(cell.test() + " on " + cell.stack());
      }
    }
    if (cells.stream().noneMatch(cell -> cell.stack().equals(CONTAINERS))) {
      keepContainers(page);
    }
  }

  private void keepContainers(String page) {
    for (String line : page.split("\n", -1)) {
      stacks.forEach(
          (test, ranOn) -> {
            if (line.contains("| `" + test + "` |") && line.contains(CONTAINERS)) {
              ranOn.add(CONTAINERS);
            }
          });
    }
  }

  /** What is wrong with the run itself, one line each. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    failed.forEach(test -> faults.add("failed: " + test));
    for (Case each : Case.values()) {
      if (tests(each).isEmpty()) {
        faults.add("case " + each + " has no test that passed: " + each.meaning());
      }
    }
    return faults;
  }

  /** What a page has that this run has not, and the reverse, one line each. */
  List<String> differences(String page) {
    List<String> is = page.lines().toList();
    List<String> shouldBe = text().lines().toList();
    Stream<String> stale =
        is.stream().filter(l -> !shouldBe.contains(l)).map(l -> "did not run: " + l);
    Stream<String> absent =
        shouldBe.stream().filter(l -> !is.contains(l)).map(l -> "not on the page: " + l);
    List<String> differences = Stream.concat(stale, absent).toList();
    return differences.isEmpty() && !page.equals(text())
        ? List.of("the order of lines, or a repeated one")
        : differences;
  }

  /** The page. */
  String text() {
    StringBuilder text = new StringBuilder(HEAD.formatted(FaultPageCommand.class.getSimpleName()));
    for (Area area : Area.values()) {
      List<Cell> cells =
          passed.values().stream().filter(c -> c.area() == area).sorted(Cell.ORDER).toList();
      if (!cells.isEmpty()) {
        text.append("\n## ").append(area.title());
        text.append(
            "\n\n| fault | what a user sees | test | runs on | case |\n|---|---|---|---|---|\n");
        cells.forEach(cell -> text.append(line(cell)));
      }
    }
    text.append(CASES);
    for (Case each : Case.values()) {
      String tests = tests(each).stream().map(t -> "`" + t + "`").collect(Collectors.joining(", "));
      text.append("| %s | %s | %s |\n".formatted(each, each.meaning(), tests));
    }
    return text.toString();
  }

  private String line(Cell cell) {
    return "| %s | %s | `%s` | %s | %s |\n"
        .formatted(
            cell.what(),
            cell.outcome(),
            cell.test(),
            String.join(
                ", ", new TreeSet<>(stacks.getOrDefault(cell.test(), Set.of())).descendingSet()),
            cell.cases().stream().map(Case::name).collect(Collectors.joining(", ")));
  }

  private Set<String> tests(Case wanted) {
    return passed.values().stream()
        .filter(cell -> cell.cases().contains(wanted))
        .map(cell -> cell.test().replaceAll(" \\(.*", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
