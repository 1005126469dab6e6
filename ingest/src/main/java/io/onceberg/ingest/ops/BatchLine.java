package io.onceberg.ingest.ops;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.decode.ControlKind;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.keystore.BatchId;
import io.onceberg.keystore.TargetName;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The line that is logged for each committed batch of a target, for people and for programs.
 *
 * @param millis from the start of the batch to its commit, milliseconds
 */
public record BatchLine(TargetReport report, long millis) {
  private static final String WORD = "batch";

  /** Reads a line that {@link #toString} wrote, whatever a log put before it. */
  public static Optional<BatchLine> parse(String line) {
    return KeyValues.parse(WORD, line)
        .filter(v -> v.values().containsKey("read"))
        .map(BatchLine::of);
  }

  private static BatchLine of(KeyValues values) {
    TargetReport report =
        new TargetReport(
            TargetName.parse(values.text("target")),
            BatchId.parse(values.text("id")),
            values.number("read"),
            values.number("rows"),
            values.number("in_batch"),
            values.number("connector_replay"),
            values.number("snapshot_overlap"),
            values.number("conflicts_dropped"),
            counts(values.text("quarantined"), ErrorCode.values(), ErrorCode::label),
            values.number("quarantined_before"),
            values.number("tombstones"),
            counts(values.text("control"), ControlKind.values(), BatchLine::text),
            values.number("checked_beyond_horizon"));
    return new BatchLine(report, values.number("millis"));
  }

  @Override
  public String toString() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("target", report.target().toString());
    values.put("id", report.batch().toString());
    values.put("read", String.valueOf(report.read()));
    values.put("rows", String.valueOf(report.rows()));
    values.put("in_batch", String.valueOf(report.inBatch()));
    values.put("connector_replay", String.valueOf(report.connectorReplay()));
    values.put("snapshot_overlap", String.valueOf(report.snapshotOverlap()));
    values.put("conflicts_dropped", String.valueOf(report.conflictsDropped()));
    values.put("quarantined", text(report.quarantined(), ErrorCode::label));
    values.put("quarantined_before", String.valueOf(report.quarantinedBefore()));
    values.put("tombstones", String.valueOf(report.tombstones()));
    values.put("control", text(report.control(), BatchLine::text));
    values.put("checked_beyond_horizon", String.valueOf(report.checkedBeyondHorizon()));
    values.put("millis", String.valueOf(millis));
    return new KeyValues(WORD, values).toString();
  }

  private static String text(ControlKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static <K> String text(Map<K, Long> counts, Function<K, String> name) {
    return counts.isEmpty()
        ? "0"
        : counts.entrySet().stream()
            .map(entry -> name.apply(entry.getKey()) + ":" + entry.getValue())
            .sorted()
            .collect(Collectors.joining(","));
  }

  private static <K extends Enum<K>> Map<K, Long> counts(
      String text, K[] all, Function<K, String> name) {
    Map<String, K> named = Arrays.stream(all).collect(Collectors.toMap(name, key -> key));
    Map<K, Long> counts = new TreeMap<>();
    if (!text.equals("0")) {
      for (String part : text.split(",", -1)) {
        int colon = part.lastIndexOf(':');
        K key = named.get(part.substring(0, colon));
        if (key == null) {
          throw new IllegalArgumentException("unknown count: " + part);
        }
        counts.put(key, Long.parseLong(part.substring(colon + 1)));
      }
    }
    return counts;
  }
}
