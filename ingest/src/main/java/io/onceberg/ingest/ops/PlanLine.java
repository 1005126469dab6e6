package io.onceberg.ingest.ops;

import io.onceberg.keystore.BatchId;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.TargetName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The line that is logged before a batch of a target is read. A batch with a plan line and no batch
 * line is one that did not get to its end.
 */
public record PlanLine(TargetName target, BatchId batch, List<Range> ranges) {
  private static final String WORD = "plan";

  /** Offsets {@code [from, until)} of one partition. */
  public record Range(SourcePartition partition, long from, long until) {
    @Override
    public String toString() {
      return partition + ":" + from + "-" + until;
    }

    static Range parse(String text) {
      int colon = text.lastIndexOf(':');
      int dash = text.lastIndexOf('-', colon);
      int to = text.indexOf('-', colon);
      return new Range(
          new SourcePartition(
              text.substring(0, dash), Integer.parseInt(text.substring(dash + 1, colon))),
          Long.parseLong(text.substring(colon + 1, to)),
          Long.parseLong(text.substring(to + 1)));
    }
  }

  public PlanLine {
    ranges = List.copyOf(ranges);
  }

  public static PlanLine of(TargetName target, BatchId batch, List<SourceRange> ranges) {
    return new PlanLine(
        target,
        batch,
        ranges.stream().map(r -> new Range(r.partition(), r.from(), r.until())).toList());
  }

  /** Reads a line that {@link #toString} wrote, whatever a log put before it. */
  public static Optional<PlanLine> parse(String line) {
    return KeyValues.parse(WORD, line)
        .filter(values -> values.values().containsKey("ranges"))
        .map(
            values ->
                new PlanLine(
                    TargetName.parse(values.text("target")),
                    BatchId.parse(values.text("id")),
                    Stream.of(values.text("ranges").split(",", -1)).map(Range::parse).toList()));
  }

  @Override
  public String toString() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("target", target.toString());
    values.put("id", batch.toString());
    values.put("ranges", ranges.stream().map(Range::toString).collect(Collectors.joining(",")));
    return new KeyValues(WORD, values).toString();
  }
}
