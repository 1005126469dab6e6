package io.onceberg.it.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** The figures of one run, as a table for people and as JSON. */
record BenchReport(Machine machine, IngestBench.Plan plan, List<FormatFigures> figures) {
  BenchReport {
    figures = List.copyOf(figures);
  }

  void print(PrintWriter out) {
    out.println();
    out.println(machine.describe());
    for (FormatFigures format : figures) {
      out.println();
      line(
          out,
          "%s, %,d events of %,d bytes (%s)",
          format.format().title(),
          format.produced().events(),
          format.produced().bytesPerEvent(),
          LoadProducer.COMPRESSION);
      IcebergSink.Run sink = format.sink();
      if (sink != null) {
        line(
            out,
            "  Iceberg sink %s, steady        %,10.0f rows/s",
            IcebergSink.VERSION,
            sink.steady());
        line(out, "  Iceberg sink, to the last row      %,10.0f rows/s", sink.toLastRow());
        line(out, "  Iceberg sink, processor per row    %,10.1f us", sink.cpuMicrosPerRow());
        line(
            out,
            "  Iceberg sink, peak memory          %,10d MB",
            sink.figures().peakRssMegabytes());
      }
    }
  }

  String json() {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.set("machine", machine.json());
    root.put("events", plan.events()).put("seed", plan.seed());
    root.put("compression", LoadProducer.COMPRESSION).put("partitions", LoadProducer.PARTITIONS);
    ArrayNode formats = root.putArray("formats");
    for (FormatFigures format : figures) {
      ObjectNode node = formats.addObject().put("format", format.format().label());
      node.put("bytesPerEvent", format.produced().bytesPerEvent());
      IcebergSink.Run sink = format.sink();
      if (sink != null) {
        node.putObject("icebergSink")
            .put("version", IcebergSink.VERSION)
            .put("steadyRowsPerSecond", sink.steady())
            .put("toLastRowRowsPerSecond", sink.toLastRow())
            .put("cpuMicrosPerRow", sink.cpuMicrosPerRow())
            .put("peakRssMegabytes", sink.figures().peakRssMegabytes());
      }
    }
    return root.toPrettyString();
  }

  private static void line(PrintWriter out, String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }
}
