package io.onceberg.it.demo;

import io.onceberg.ingest.ops.BatchLine;
import io.onceberg.ingest.ops.PlanLine;
import io.onceberg.ingest.sink.TargetReport;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Follows the daemon's log: which batches it has planned and not yet committed, and what became of
 * the records of those that it has.
 */
final class DaemonLog {
  private final Path file;
  private long position;
  private final Map<String, PlanLine> open = new LinkedHashMap<>();
  private final List<PlanLine> plans = new ArrayList<>();
  private final List<TargetReport> batches = new ArrayList<>();

  DaemonLog(Path file) {
    this.file = file;
  }

  /** Reads what was written since the last time. */
  void follow() {
    String text = next();
    text.lines().forEach(this::take);
  }

  /** Batches in work, by target: planned, and not reported as committed. */
  Map<String, PlanLine> open() {
    return Map.copyOf(open);
  }

  /** The plans since the start, oldest first. */
  List<PlanLine> plans() {
    return List.copyOf(plans);
  }

  /** The committed batches of a target. */
  List<TargetReport> batches(String target) {
    return batches.stream().filter(b -> b.target().toString().equals(target)).toList();
  }

  /** Forgets batches in work, since the process that worked on them is gone. */
  void daemonIsGone() {
    open.clear();
  }

  private void take(String line) {
    PlanLine.parse(line)
        .ifPresent(
            plan -> {
              open.put(plan.target().toString(), plan);
              plans.add(plan);
            });
    BatchLine.parse(line)
        .ifPresent(
            batch -> {
              open.remove(batch.report().target().toString());
              batches.add(batch.report());
            });
  }

  /** The whole lines that have been added. */
  private String next() {
    if (!Files.exists(file)) {
      return "";
    }
    try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
      byte[] added = new byte[(int) (log.length() - position)];
      log.seek(position);
      log.readFully(added);
      int end = added.length;
      while (end > 0 && added[end - 1] != '\n') {
        end--;
      }
      position += end;
      return new String(added, 0, end, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
