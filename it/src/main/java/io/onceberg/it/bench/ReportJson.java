package io.onceberg.it.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A report as JSON. Rates are rows per second; a side that was left out is absent. */
final class ReportJson {
  private ReportJson() {}

  static String of(BenchReport report) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.set("machine", report.machine().json());
    root.put("events", report.plan().events())
        .put("seed", report.plan().seed())
        .put("compression", LoadProducer.COMPRESSION)
        .put("partitions", LoadProducer.PARTITIONS);
    ArrayNode formats = root.putArray("formats");
    report.figures().forEach(figures -> format(figures, formats.addObject()));
    SmallBatches small = report.smallBatches();
    if (small != null) {
      root.putObject("smallBatch")
          .put("rows", SmallBatches.ROWS)
          .put("batches", small.batchMillis().size())
          .put("medianMillis", small.medianMillis())
          .put("medianWallMillis", small.medianWallMillis());
    }
    MemoryCourse memory = report.memory();
    if (memory != null) {
      memory(memory, root.putArray("memory"));
    }
    bars(report, root.putArray("bars"));
    return root.toPrettyString() + "\n";
  }

  private static void format(FormatFigures figures, ObjectNode node) {
    node.put("format", figures.format().label());
    node.put("bytesPerEvent", figures.produced().bytesPerEvent());
    IcebergSink.Run sink = figures.sink();
    if (sink != null) {
      node.putObject("icebergSink")
          .put("version", IcebergSink.VERSION)
          .put("steady", sink.steady())
          .put("toLastRow", sink.toLastRow())
          .put("cpuMicrosPerRow", sink.cpuMicrosPerRow())
          .put("peakRssMegabytes", sink.figures().peakRssMegabytes());
    }
    run(figures.exact(), "exactlyOnce", node);
    run(figures.plain(), "plainAppend", node);
    Profile profile = figures.profile();
    if (profile != null) {
      ObjectNode shares = node.putObject("profile").put("samples", profile.samples());
      shares(profile.self(), shares.putObject("self"));
      shares(profile.nearest(), shares.putObject("nearest"));
      shares(profile.total(), shares.putObject("total"));
    }
  }

  private static void shares(List<Profile.Share> shares, ObjectNode node) {
    shares.forEach(share -> node.put(share.method(), share.samples()));
  }

  private static void run(@Nullable DaemonRun run, String name, ObjectNode node) {
    if (run != null) {
      node.putObject(name)
          .put("steady", run.steady())
          .put("toLastRow", run.toLastRow())
          .put("cpuMicrosPerRow", run.cpuMicrosPerRow())
          .put("peakRssMegabytes", run.figures().peakRssMegabytes())
          .put("heapMegabytes", run.heapMegabytes())
          .put("batches", run.batches().size())
          .put("complaints", run.complaints());
    }
  }

  private static void memory(MemoryCourse memory, ArrayNode node) {
    for (MemoryCourse.Look look : memory.looks()) {
      node.addObject()
          .put("batch", look.batch())
          .put("heapMegabytes", look.heapMegabytes())
          .put("rssMegabytes", look.rssMegabytes())
          .put("batchMillis", look.batchMillis());
    }
  }

  private static void bars(BenchReport report, ArrayNode node) {
    report.bars().forEach(bar -> node.add(bar.json()));
  }
}
