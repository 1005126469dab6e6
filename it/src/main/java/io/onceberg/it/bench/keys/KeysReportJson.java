package io.onceberg.it.bench.keys;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;

/** A report as JSON. Times are milliseconds; a measure that was left out or failed is absent. */
final class KeysReportJson {
  private KeysReportJson() {}

  static String of(KeysReport report) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.set("machine", report.machine().json());
    root.put("heapMegabytes", Runtime.getRuntime().maxMemory() >> 20)
        .put("peerHeapMegabytes", report.plan().peerHeap().megabytes())
        .put("keys", report.plan().numbers().keys())
        .put("days", EventNumbers.DAYS)
        .put("batchRows", report.plan().numbers().batchRows())
        .put("bytesPerEvent", report.bytesPerValue());
    ArrayNode results = root.putArray("results");
    report.timings().stream()
        .sorted(Comparator.comparing(Timing::measure).thenComparing(Timing::duplicates))
        .forEach(timing -> timing(report, timing, results.addObject()));
    root.put("firstLookupMillis", rounded(report.firstLookupMillis()));
    ArrayNode leftOut = root.putArray("leftOut");
    report.plan().without().stream().sorted().forEach(measure -> leftOut.add(measure.label()));
    ObjectNode failed = root.putObject("failed");
    report.failures().forEach((measure, reason) -> failed.put(measure.label(), reason));
    root.putObject("series")
        .put("batches", report.series().batches())
        .put("batchMeanMillis", rounded(report.series().meanBatch()))
        .put("appendMeanMillis", rounded(report.series().meanAppend()));
    root.putObject("smallBatch")
        .put("rows", SmallBatches.ROWS)
        .put("batches", report.smallMillis().size())
        .put("medianMillis", rounded(report.smallMedian()));
    ArrayNode keys = root.putArray("bytesPerKey");
    report.survey().figures().forEach(figures -> sizes(figures, keys.addObject()));
    Positions positions = report.survey().positions();
    root.putObject("changelogMemoryBytes")
        .put("freshAtHalf", positions.freshAtHalf())
        .put("fresh", positions.fresh())
        .put("redeliveredAtHalf", positions.redeliveredAtHalf())
        .put("redelivered", positions.redelivered());
    ArrayNode bars = root.putArray("bars");
    report.bars().forEach(bar -> bars.add(bar.json()));
    return root.toPrettyString() + "\n";
  }

  private static void timing(KeysReport report, Timing timing, ObjectNode node) {
    node.put("measure", timing.measure().label())
        .put("keys", report.plan().numbers().keys())
        .put("duplicates", timing.duplicates().percent())
        .put("medianMillis", rounded(timing.median()))
        .put("minMillis", rounded(timing.least()))
        .put("maxMillis", rounded(timing.greatest()))
        .put("runs", timing.runs());
  }

  private static void sizes(KeyFigures figures, ObjectNode node) {
    node.put("identity", figures.label())
        .put("keys", figures.sizes().keys())
        .put("files", figures.sizes().files())
        .put("data", figures.sizes().identityPerKey())
        .put("filter", figures.sizes().filterPerKey())
        .put("payloadHash", figures.sizes().payloadPerKey())
        .put("resident", figures.residentPerKey())
        .put("heap", figures.heapPerKey())
        .put("allInMemory", figures.allInMemory());
  }

  private static double rounded(double millis) {
    return Math.round(millis * 10) / 10.0;
  }
}
