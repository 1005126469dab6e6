package io.onceberg.ingest.ops;

import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.keystore.BatchId;
import io.onceberg.keystore.TargetName;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The line that is logged for each committed batch of a target, for people and for programs. The
 * counts are those of {@link TargetReport}.
 *
 * @param quarantined newly quarantined records by the error's label, such as {@code OB-305}
 * @param control records only counted, by kind in lower case
 * @param millis from the start of the batch to its commit, milliseconds
 */
public record BatchLine(
    TargetName target,
    BatchId batch,
    long read,
    long rows,
    long inBatch,
    long connectorReplay,
    long snapshotOverlap,
    long conflictsDropped,
    Map<String, Long> quarantined,
    long quarantinedBefore,
    long tombstones,
    Map<String, Long> control,
    long millis) {
  private static final String WORD = "batch";

  public BatchLine {
    quarantined = Map.copyOf(quarantined);
    control = Map.copyOf(control);
  }

  public static BatchLine of(TargetReport report, long millis) {
    Map<String, Long> quarantined = new TreeMap<>();
    report.quarantined().forEach((code, count) -> quarantined.put(code.label(), count));
    Map<String, Long> control = new TreeMap<>();
    report
        .control()
        .forEach((kind, count) -> control.put(kind.name().toLowerCase(Locale.ROOT), count));
    return new BatchLine(
        report.target(),
        report.batch(),
        report.read(),
        report.rows(),
        report.inBatch(),
        report.connectorReplay(),
        report.snapshotOverlap(),
        report.conflictsDropped(),
        quarantined,
        report.quarantinedBefore(),
        report.tombstones(),
        control,
        millis);
  }

  /** Reads a line that {@link #toString} wrote, whatever a log put before it. */
  public static Optional<BatchLine> parse(String line) {
    return KeyValues.parse(WORD, line)
        .filter(v -> v.values().containsKey("read"))
        .map(BatchLine::of);
  }

  private static BatchLine of(KeyValues values) {
    return new BatchLine(
        TargetName.parse(values.text("target")),
        BatchId.parse(values.text("id")),
        values.number("read"),
        values.number("rows"),
        values.number("in_batch"),
        values.number("connector_replay"),
        values.number("snapshot_overlap"),
        values.number("conflicts_dropped"),
        counts(values.text("quarantined")),
        values.number("quarantined_before"),
        values.number("tombstones"),
        counts(values.text("control")),
        values.number("millis"));
  }

  @Override
  public String toString() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("target", target.toString());
    values.put("id", batch.toString());
    values.put("read", String.valueOf(read));
    values.put("rows", String.valueOf(rows));
    values.put("in_batch", String.valueOf(inBatch));
    values.put("connector_replay", String.valueOf(connectorReplay));
    values.put("snapshot_overlap", String.valueOf(snapshotOverlap));
    values.put("conflicts_dropped", String.valueOf(conflictsDropped));
    values.put("quarantined", text(quarantined));
    values.put("quarantined_before", String.valueOf(quarantinedBefore));
    values.put("tombstones", String.valueOf(tombstones));
    values.put("control", text(control));
    values.put("millis", String.valueOf(millis));
    return new KeyValues(WORD, values).toString();
  }

  private static String text(Map<String, Long> counts) {
    return counts.isEmpty()
        ? "0"
        : new TreeMap<>(counts)
            .entrySet().stream()
                .map(entry -> entry.getKey() + ":" + entry.getValue())
                .collect(Collectors.joining(","));
  }

  private static Map<String, Long> counts(String text) {
    Map<String, Long> counts = new TreeMap<>();
    if (!text.equals("0")) {
      for (String part : text.split(",", -1)) {
        int colon = part.lastIndexOf(':');
        counts.put(part.substring(0, colon), Long.parseLong(part.substring(colon + 1)));
      }
    }
    return counts;
  }
}
