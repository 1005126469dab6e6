package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.Bar;
import io.onceberg.it.bench.Machine;
import io.onceberg.it.bench.Report;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The figures of one run, as tables for people; {@link KeysReportJson} for programs.
 *
 * @param failures why a peer has no figures, or not all
 * @param firstLookupMillis see {@link LookupContender#firstMillis}
 */
record KeysReport(
    Machine machine,
    KeysPlan plan,
    long bytesPerValue,
    List<Timing> timings,
    Map<Measure, String> failures,
    double firstLookupMillis,
    Series series,
    List<Double> smallMillis,
    KeySurvey.Found survey)
    implements Report {
  static final double BAR_TO_APPEND = 1.25;
  static final double BAR_OF_GROWTH = 1.2;
  private static final double BAR_TO_JOIN = 50;
  private static final double BAR_RESIDENT = 4;
  private static final long MEGABYTE = 1 << 20;

  /** Of fewer keys the heap's growth drowns in what else comes and goes there. */
  private static final long KEYS_TO_WEIGH = 1_000_000;

  KeysReport {
    timings = List.copyOf(timings);
    failures = Map.copyOf(failures);
    smallMillis = smallMillis.stream().sorted().toList();
  }

  Optional<Timing> timing(Measure measure, Duplicates duplicates) {
    return timings.stream()
        .filter(t -> t.measure() == measure && t.duplicates() == duplicates)
        .findFirst();
  }

  /** The median in milliseconds; not a number when it was not measured. */
  double median(Measure measure, Duplicates duplicates) {
    return timing(measure, duplicates).map(Timing::median).orElse(Double.NaN);
  }

  double smallMedian() {
    return smallMillis.get(smallMillis.size() / 2);
  }

  @Override
  public void print(PrintWriter out) {
    line(out, "");
    line(out, "%s", machine.describe());
    line(
        out,
        "heap %,d MB, of a peer %,d MB; %,d keys of %d characters over %d days%s; batches of %,d rows (%,d bytes as"
            + " JSON)",
        Runtime.getRuntime().maxMemory() / MEGABYTE,
        plan.peerHeap().megabytes(),
        plan.numbers().keys(),
        Event.KEY_LENGTH,
        EventNumbers.DAYS,
        plan.readsTarget() ? "" : ", without their rows, which nothing here reads",
        plan.numbers().batchRows(),
        bytesPerValue);
    printTimings(out);
    printBeside(out);
    printSizes(out);
    printBars(out);
  }

  private void printTimings(PrintWriter out) {
    line(out, "");
    StringBuilder head = new StringBuilder("%-36s".formatted("median (least-greatest) ms x runs"));
    for (Duplicates duplicates : Duplicates.values()) {
      head.append("%27s".formatted(duplicates.title()));
    }
    line(out, "%s", head);
    for (Measure measure : Measure.values()) {
      StringBuilder row = new StringBuilder("%-36s".formatted(measure.title()));
      String absent = failures.containsKey(measure) ? "failed" : "left out";
      for (Duplicates duplicates : Duplicates.values()) {
        Optional<Timing> timing = timing(measure, duplicates);
        row.append("%27s".formatted(timing.map(KeysReport::cell).orElse(absent)));
      }
      line(out, "%s", row);
    }
    new TreeMap<>(failures).values().forEach(failure -> line(out, "%s", failure));
  }

  private static String cell(Timing timing) {
    return String.format(
        Locale.ROOT,
        "%,.0f (%,.0f-%,.0f) x%d",
        timing.median(),
        timing.least(),
        timing.greatest(),
        timing.runs());
  }

  private void printBeside(PrintWriter out) {
    line(out, "");
    line(
        out,
        "%d batches of new rows in a row, merges of key files among them: mean %,.0f ms against"
            + " %,.0f ms plain append, %.2f times",
        series.batches(),
        series.meanBatch(),
        series.meanAppend(),
        series.meanBatch() / series.meanAppend());
    line(
        out,
        "A warm batch of %d rows, planned and committed: %,.0f ms (%,.0f-%,.0f) x%d",
        SmallBatches.ROWS,
        smallMedian(),
        smallMillis.get(0),
        smallMillis.get(smallMillis.size() - 1),
        smallMillis.size());
    line(
        out,
        "The first lookup after a start, which reads indexes and filters: %,.0f ms",
        firstLookupMillis);
  }

  private void printSizes(PrintWriter out) {
    line(out, "");
    line(
        out,
        "%-28s %12s %6s %10s %8s %8s %13s %10s %11s",
        "bytes per key",
        "keys",
        "files",
        "identity",
        "filter",
        "both",
        "payload hash",
        "in memory",
        "heap grew");
    for (KeyFigures figures : survey.figures()) {
      KeySizes sizes = figures.sizes();
      line(
          out,
          "%-28s %,12d %,6d %10.2f %8.2f %8.2f %13s %10.2f %11s%s",
          figures.title(),
          sizes.keys(),
          sizes.files(),
          sizes.identityPerKey(),
          sizes.filterPerKey(),
          figures.storedPerKey(),
          sizes.payload() == 0 ? "none" : String.format(Locale.ROOT, "%.2f", sizes.payloadPerKey()),
          figures.residentPerKey(),
          sizes.keys() < KEYS_TO_WEIGH
              ? "too few"
              : String.format(Locale.ROOT, "%.2f", figures.heapPerKey()),
          figures.allInMemory()
              ? ""
              : "  (only %d files fit in keys.filter.memory)".formatted(figures.filesInMemory()));
    }
    Positions positions = survey.positions();
    line(
        out,
        "Changelog keys in memory: %,d bytes after a batch of new changes; after one that redelivers"
            + " the newest, %,d bytes at half of the keys and %,d at all of them",
        positions.fresh(),
        positions.redeliveredAtHalf(),
        positions.redelivered());
  }

  private void printBars(PrintWriter out) {
    line(out, "");
    line(out, "%-72s %10s %10s", "Bars", "measured", "bar");
    for (Bar bar : bars()) {
      line(
          out,
          "%-72s %10s %s%,9.2f  %s",
          bar.name(),
          bar.isMeasured() ? String.format(Locale.ROOT, "%,.2f", bar.measured()) : "",
          bar.atLeast() ? ">" : "<",
          bar.bar(),
          bar.verdict());
    }
  }

  @Override
  public String json() {
    return KeysReportJson.of(this);
  }

  /** Every bar that this run can say something about. */
  List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    double batch = median(Measure.BATCH, Duplicates.NONE);
    bars.add(
        most(
            "whole batch, times the plain append, 0 % duplicates",
            batch / median(Measure.APPEND, Duplicates.NONE), BAR_TO_APPEND));
    bars.add(
        most(
            "the same, rows in memory (no reading and decoding)",
            median(Measure.STAGED_BATCH, Duplicates.NONE)
                / median(Measure.STAGED_APPEND, Duplicates.NONE),
            BAR_TO_APPEND));
    bars.add(
        most(
            "the same, from Kafka, %d batches in a row with merges".formatted(series.batches()),
            series.meanBatch() / series.meanAppend(),
            BAR_TO_APPEND));
    if (plan.earlier() != null) {
      bars.addAll(plan.earlier().bars(this));
    }
    double lookup = median(Measure.LOOKUP, Duplicates.FEW);
    for (Measure other : List.of(Measure.LEFT_ANTI_KEYS, Measure.MERGE_TARGET)) {
      if (plan.has(other)) {
        bars.add(
            new Bar(
                other.label() + ", times our lookup, 1 % duplicates (bar of 10 M keys)",
                median(other, Duplicates.FEW) / lookup,
                BAR_TO_JOIN,
                true));
      }
    }
    bars.add(
        most(
            "a batch of only duplicates (last day), times a fresh one",
            median(Measure.BATCH, Duplicates.ALL) / batch,
            1));
    addSizes(bars);
    bars.add(most("a warm batch of 100 rows, ms", smallMedian(), SmallBatches.BAR_MILLIS));
    return bars;
  }

  private void addSizes(List<Bar> bars) {
    List<Double> most = List.of(23.0, 19.0, 5.0);
    for (int i = 0; i < survey.figures().size(); i++) {
      KeyFigures figures = survey.figures().get(i);
      bars.add(
          most(
              figures.title() + ": identity and filter, bytes per key",
              figures.storedPerKey(),
              most.get(i)));
    }
    KeyFigures text = survey.figures().get(0);
    bars.add(
        most(
            text.title() + ": in memory, bytes per key",
            text.allInMemory() ? text.residentPerKey() : Double.NaN,
            BAR_RESIDENT));
    Positions positions = survey.positions();
    bars.add(
        most(
            "changelog keys: growth in memory from half of the keys to all, times",
            (double) positions.redelivered() / positions.redeliveredAtHalf(),
            1.01));
  }

  private static Bar most(String name, double measured, double bar) {
    return new Bar(name, measured, bar, false);
  }

  private static void line(PrintWriter out, String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }
}
