package io.onceberg.it.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** What the demo found. */
record DemoResult(List<TargetFigures> targets, long missing, long extra) {
  private static final long REPLAYED_AT_LEAST = 1_000;
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
  private static final String LINE = "%-18s %9s %9s %9s %9s %9s %9s %9s %7s %7s %7s";

  DemoResult {
    targets = List.copyOf(targets);
  }

  static DemoResult of(List<TargetFigures> targets) {
    return new DemoResult(
        targets, sum(targets, TargetFigures::missing), sum(targets, TargetFigures::extra));
  }

  /** What was promised and not shown; empty when all is well. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    for (TargetFigures t : targets) {
      require(faults, t.missing() == 0, t, "misses %d events".formatted(t.missing()));
      require(faults, t.extra() == 0, t, "has %d rows too many".formatted(t.extra()));
      require(
          faults,
          t.rows() == t.distinctEvents(),
          t,
          "has %d rows for %d distinct events".formatted(t.rows(), t.distinctEvents()));
      require(
          faults, t.keys() == t.rows(), t, "has %d keys for %d rows".formatted(t.keys(), t.rows()));
      require(
          faults,
          t.rows() + t.duplicates().sum() + t.quarantined() == t.changeEvents(),
          t,
          "does not account for each of %d events".formatted(t.changeEvents()));
      require(
          faults,
          t.duplicates().sum() > REPLAYED_AT_LEAST,
          t,
          "met only %d replayed events".formatted(t.duplicates().sum()));
      require(
          faults, t.readAgainAfterKill() > 0, t, "read nothing again after the daemon was killed");
    }
    return faults;
  }

  void print(PrintStream out) {
    out.println();
    out.printf(
        LINE + "%n",
        "",
        "events",
        "distinct",
        "",
        "",
        "repeated",
        "replayed",
        "read again",
        "quaran-",
        "",
        "");
    out.printf(
        LINE + "%n",
        "target",
        "in Kafka",
        "events",
        "rows",
        "keys",
        "in batch",
        "by source",
        "(kill)",
        "tined",
        "missing",
        "extra");
    for (TargetFigures t : targets) {
      print(out, t);
    }
    print(out, total());
    out.println();
  }

  void write(Path file) {
    try {
      JSON.writeValue(file.toFile(), this);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private TargetFigures total() {
    return new TargetFigures(
        "all",
        sum(targets, TargetFigures::changeEvents),
        sum(targets, TargetFigures::distinctEvents),
        sum(targets, TargetFigures::rows),
        sum(targets, TargetFigures::keys),
        new TargetFigures.Duplicates(
            sum(targets, t -> t.duplicates().inBatch()),
            sum(targets, t -> t.duplicates().connectorReplay())),
        sum(targets, TargetFigures::readAgainAfterKill),
        sum(targets, TargetFigures::quarantined),
        missing,
        extra);
  }

  private static void print(PrintStream out, TargetFigures t) {
    out.printf(
        LINE + "%n",
        t.name(),
        number(t.changeEvents()),
        number(t.distinctEvents()),
        number(t.rows()),
        number(t.keys()),
        number(t.duplicates().inBatch()),
        number(t.duplicates().connectorReplay()),
        number(t.readAgainAfterKill()),
        number(t.quarantined()),
        number(t.missing()),
        number(t.extra()));
  }

  private static String number(long n) {
    return "%,d".formatted(n);
  }

  private static long sum(List<TargetFigures> targets, ToLongFunction<TargetFigures> figure) {
    return targets.stream().mapToLong(figure).sum();
  }

  private static void require(
      List<String> faults, boolean holds, TargetFigures target, String otherwise) {
    if (!holds) {
      faults.add(target.name() + " " + otherwise);
    }
  }
}
