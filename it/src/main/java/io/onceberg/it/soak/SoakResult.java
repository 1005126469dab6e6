package io.onceberg.it.soak;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.onceberg.it.platform.TableCheck;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a soak found.
 *
 * @param faults how many of each kind have hit
 * @param unfelt faults that came when there was nothing to hit
 * @param restarts what ended without being killed, and how often
 * @param drained whether everything came to the tables in the end
 * @param errors lines at level ERROR in the daemons' logs, the first few
 */
record SoakResult(
    long seed,
    long seconds,
    Map<String, Integer> faults,
    int unfelt,
    Map<String, Integer> restarts,
    Batches batches,
    boolean drained,
    List<TableCheck> tables,
    List<String> errors) {
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /**
   * What the daemons say of their batches, each target's counted for itself.
   *
   * @param cutOff planned and not committed by that daemon
   * @param fenced met by someone else's commit
   * @param inDoubt commits without an answer
   * @param triedAgain how often a daemon could not go on and waited
   * @param read records of committed batches
   * @param replays recognised among them
   */
  record Batches(
      long planned,
      long committed,
      long cutOff,
      long fenced,
      long inDoubt,
      long triedAgain,
      long read,
      long replays) {}

  SoakResult {
    faults = new TreeMap<>(faults);
    restarts = new TreeMap<>(restarts);
    tables = List.copyOf(tables);
    errors = List.copyOf(errors);
  }

  int faultsInAll() {
    return faults.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** What does not hold; nothing when all is well. */
  List<String> wrong() {
    List<String> wrong = new ArrayList<>();
    if (!drained) {
      wrong.add("not everything came to the tables in time");
    }
    tables.forEach(table -> wrong.addAll(table.faults()));
    errors.forEach(line -> wrong.add("logged: " + line));
    return wrong;
  }

  void print(PrintStream out) {
    out.printf("%n%d faults in %d s (%d more were not felt)%n", faultsInAll(), seconds, unfelt);
    faults.forEach((kind, n) -> out.printf("  %-40s %,7d%n", kind, n));
    restarts.forEach((what, n) -> out.printf("  %-40s %,7d%n", "(" + what + ")", n));
    out.printf(
        "batches: %,d planned, %,d committed, %,d cut off, %,d fenced, %,d commits in doubt,"
            + " %,d times waited%n",
        batches.planned(),
        batches.committed(),
        batches.cutOff(),
        batches.fenced(),
        batches.inDoubt(),
        batches.triedAgain());
    out.printf(
        "records: %,d read by committed batches, %,d of them replays%n%n",
        batches.read(), batches.replays());
    out.printf(
        "%-14s %10s %10s %10s %9s %7s %7s%n",
        "table", "rows", "keys", "different", "missing", "extra", "at end");
    for (TableCheck t : tables) {
      out.printf(
          "%-14s %,10d %,10d %,10d %,9d %,7d %7s%n",
          t.table(), t.rows(), t.keys(), t.identities(), t.missing(), t.extra(), t.atEnd());
    }
    out.println();
  }

  void write(Path file) {
    try {
      JSON.writeValue(file.toFile(), this);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
