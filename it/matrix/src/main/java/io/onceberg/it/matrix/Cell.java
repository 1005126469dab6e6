package io.onceberg.it.matrix;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * One result of one test of a fault.
 *
 * @param test class and method, with the arguments of a parameterized one
 * @param stack what it ran on: {@code processes} or {@code containers}
 */
record Cell(
    Area area,
    String what,
    String outcome,
    List<Case> cases,
    String test,
    String stack,
    boolean passed) {
  /** The order of the page. */
  static final Comparator<Cell> ORDER =
      Comparator.comparing(Cell::area).thenComparing(Cell::what).thenComparing(Cell::test);

  private static final String SEPARATOR = "\t";
  private static final int FIELDS = 7;

  Cell {
    cases = List.copyOf(cases);
    for (String text : List.of(what, outcome, test, stack)) {
      if (text.isBlank() || text.matches("(?s).*[\t\r\n|].*")) {
        throw new IllegalArgumentException("'%s' cannot stand in a table".formatted(text));
      }
    }
  }

  /** Reads what {@link #toLine} wrote. */
  static Cell parse(String line) {
    List<String> fields = Arrays.asList(line.split(SEPARATOR, -1));
    if (fields.size() != FIELDS) {
      throw new IllegalArgumentException("no result of a test: " + line);
    }
    List<Case> cases = new ArrayList<>();
    for (String each : fields.get(3).split(",", -1)) {
      if (!each.isEmpty()) {
        cases.add(Case.valueOf(each));
      }
    }
    return new Cell(
        Area.valueOf(fields.get(0)),
        fields.get(1),
        fields.get(2),
        cases,
        fields.get(4),
        fields.get(5),
        Boolean.parseBoolean(fields.get(6)));
  }

  String toLine() {
    return String.join(
        SEPARATOR,
        area.name(),
        what,
        outcome,
        String.join(",", cases.stream().map(Case::name).toList()),
        test,
        stack,
        String.valueOf(passed));
  }
}
