package io.onceberg.it.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The figures of one run, as tables for people; {@link ReportJson} for programs. */
record BenchReport(
    Machine machine,
    IngestBench.Plan plan,
    List<FormatFigures> figures,
    @Nullable SmallBatches smallBatches,
    @Nullable MemoryCourse memory)
    implements Report {
  private static final double BAR_TO_SINK = 1.3;
  private static final double BAR_TO_PLAIN = 0.7;

  BenchReport {
    figures = List.copyOf(figures);
  }

  @Override
  public void print(PrintWriter out) {
    out.println();
    out.println(machine.describe());
    figures.forEach(format -> print(format, out));
    if (smallBatches != null) {
      line(out, "");
      line(
          out,
          "Batches of %d rows, warm, %d of them: median %,d ms in the daemon (90 %%: %,d), %,d ms"
              + " until committed as seen by the producer",
          SmallBatches.ROWS,
          smallBatches.batchMillis().size(),
          smallBatches.medianMillis(),
          SmallBatches.quantile(smallBatches.batchMillis(), 0.9),
          smallBatches.medianWallMillis());
    }
    if (memory != null) {
      line(out, "");
      line(out, "Memory at -Xmx2g    %12s %12s %14s", "heap MB", "RSS MB", "ms per batch");
      for (MemoryCourse.Look look : memory.looks()) {
        line(
            out,
            "  after %3d batches %,12d %,12d %,14d",
            look.batch(),
            look.heapMegabytes(),
            look.rssMegabytes(),
            look.batchMillis());
      }
    }
    printBars(out);
  }

  private static void print(FormatFigures format, PrintWriter out) {
    line(out, "");
    line(
        out,
        "%s: %,d events of %,d bytes (%s)",
        format.format().title(),
        format.produced().events(),
        format.produced().bytesPerEvent(),
        LoadProducer.COMPRESSION);
    line(
        out,
        "  %-34s %12s %12s %10s %10s %10s",
        "rows/s",
        "steady",
        "to the last",
        "us CPU/row",
        "peak MB",
        "heap MB");
    IcebergSink.Run sink = format.sink();
    if (sink != null) {
      String name = "Iceberg sink " + IcebergSink.VERSION + ", append only";
      row(out, name, sink.steady(), sink.toLastRow(), sink.cpuMicrosPerRow(), sink.figures(), null);
    }
    row(out, "Onceberg, exactly once", format.exact());
    row(out, "Onceberg, plain append", format.plain());
    Profile profile = format.profile();
    if (profile != null) {
      line(out, "");
      out.print(profile.describe());
    }
  }

  private static void row(PrintWriter out, String name, @Nullable DaemonRun run) {
    if (run != null) {
      row(
          out,
          name,
          run.steady(),
          run.toLastRow(),
          run.cpuMicrosPerRow(),
          run.figures(),
          run.heapMegabytes());
    }
  }

  private static void row(
      PrintWriter out,
      String name,
      double steady,
      double toLastRow,
      double cpuMicros,
      ProcessFigures figures,
      @Nullable Long heap) {
    line(
        out,
        "  %-34s %,12.0f %,12.0f %,10.1f %,10d %10s",
        name,
        steady,
        toLastRow,
        cpuMicros,
        figures.peakRssMegabytes(),
        heap == null ? "" : heap.toString());
  }

  private void printBars(PrintWriter out) {
    List<Bar> bars = bars();
    if (bars.isEmpty()) {
      return;
    }
    line(out, "");
    line(out, "%-58s %12s %12s", "Bars (steady rates)", "measured", "bar");
    for (Bar bar : bars) {
      String digits = bar.bar() < 10 ? "%,12.2f" : "%,12.0f";
      line(
          out,
          "%-58s " + digits + " " + digits + "  %s",
          bar.name(),
          bar.measured(),
          bar.bar(),
          bar.verdict());
    }
  }

  @Override
  public String json() {
    return ReportJson.of(this);
  }

  /** Every bar that this run can say something about. */
  List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    for (FormatFigures format : figures) {
      DaemonRun exact = format.exact();
      DaemonRun plain = format.plain();
      if (exact == null || plain == null) {
        continue;
      }
      String label = format.format().label();
      bars.add(new Bar(label + ", events/s", exact.steady(), format.format().barPerSecond(), true));
      double toPlain = exact.steady() / plain.steady();
      bars.add(new Bar(label + ", times our plain append", toPlain, BAR_TO_PLAIN, true));
      IcebergSink.Run sink = format.sink();
      if (sink != null) {
        double toSink = exact.steady() / sink.steady();
        bars.add(new Bar(label + ", times the Iceberg sink", toSink, BAR_TO_SINK, true));
      }
    }
    if (smallBatches != null) {
      double median = smallBatches.medianMillis();
      bars.add(new Bar("a warm batch of 100 rows, ms", median, SmallBatches.BAR_MILLIS, false));
    }
    if (memory != null) {
      double growth = memory.heapGrowth();
      bars.add(new Bar("heap growth, batch 50 to 200, MB", growth, MemoryCourse.TOLERANCE, false));
    }
    return bars;
  }

  private static void line(PrintWriter out, String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }
}
