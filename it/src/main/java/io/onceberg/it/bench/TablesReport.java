package io.onceberg.it.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * The figures of one run over many tables.
 *
 * @param firstMillis the first plan to the last commit of the first records of all tables, which
 *     makes all of them
 * @param cycles the warm ones
 * @param complaints warnings and errors in the daemon's log
 */
record TablesReport(
    Machine machine,
    TablesBench.Plan plan,
    long firstMillis,
    List<Cycle> cycles,
    ProcessFigures figures,
    long heapMegabytes,
    int complaints)
    implements Report {
  static final int BAR_MILLIS = 3_000;

  /**
   * One cycle.
   *
   * @param batches commits of targets in it
   * @param millis from the start of its batch to the last target's commit
   * @param wallMillis from the last record's acknowledgement by Kafka to that commit: what a reader
   *     waits, {@code batch.max.wait.ms} included
   */
  record Cycle(int batches, long millis, long wallMillis) {}

  TablesReport {
    cycles = List.copyOf(cycles);
  }

  private long quantile(ToLongFunction<Cycle> figure, double quantile) {
    return SmallBatches.quantile(cycles.stream().mapToLong(figure).boxed().toList(), quantile);
  }

  Bar bar() {
    return new Bar("a cycle, median ms", quantile(Cycle::millis, 0.5), BAR_MILLIS, false);
  }

  @Override
  public void print(PrintWriter out) {
    line(out, "");
    line(out, "%s", machine.describe());
    line(out, "");
    line(
        out,
        "%d tables, in each cycle %d of them with %d records; %d warm cycles",
        plan.tables(),
        plan.active(),
        plan.rows(),
        cycles.size());
    line(out, "  %-46s %,8d ms", "all tables made and first filled", firstMillis);
    line(out, "  %-46s %8s %8s %8s", "", "median", "90 %", "most");
    row(out, "a cycle in the daemon, ms", Cycle::millis);
    row(out, "until committed as seen by the producer, ms", Cycle::wallMillis);
    row(out, "targets committed", Cycle::batches);
    line(
        out,
        "  memory at -Xmx2g: heap %,d MB, resident at most %,d MB; complaints in the log: %d",
        heapMegabytes,
        figures.peakRssMegabytes(),
        complaints);
    Bar bar = bar();
    line(out, "");
    line(out, "%s: %,.0f, bar %,.0f: %s", bar.name(), bar.measured(), bar.bar(), bar.verdict());
  }

  private void row(PrintWriter out, String title, ToLongFunction<Cycle> figure) {
    line(
        out,
        "  %-46s %,8d %,8d %,8d",
        title,
        quantile(figure, 0.5),
        quantile(figure, 0.9),
        quantile(figure, 1));
  }

  private static void line(PrintWriter out, String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }

  @Override
  public String json() {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.set("machine", machine.json());
    root.put("tables", plan.tables())
        .put("active", plan.active())
        .put("rows", plan.rows())
        .put("cycles", cycles.size())
        .put("firstMillis", firstMillis)
        .put("medianMillis", quantile(Cycle::millis, 0.5))
        .put("maxMillis", quantile(Cycle::millis, 1))
        .put("medianWallMillis", quantile(Cycle::wallMillis, 0.5))
        .put("heapMegabytes", heapMegabytes)
        .put("peakRssMegabytes", figures.peakRssMegabytes())
        .put("complaints", complaints);
    return root.toPrettyString() + "\n";
  }
}
