package io.onceberg.it.soak;

import io.onceberg.ingest.ops.BatchLine;
import io.onceberg.ingest.ops.PlanLine;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the daemons' logs say of their batches, counted as they grow. */
final class DaemonTally {
  private static final int MOST_AT_ONCE = 16 * 1024 * 1024;
  private static final int MOST_ERRORS = 20;

  private final Map<Path, Long> positions = new HashMap<>();
  private final List<String> errors = new ArrayList<>();
  private long planned;
  private long committed;
  private long read;
  private long replays;
  private long fenced;
  private long inDoubt;
  private long triedAgain;

  DaemonTally(List<Path> logs) {
    logs.forEach(log -> positions.put(log, 0L));
  }

  /** Takes in what was written since the last time. */
  synchronized void follow() {
    positions.replaceAll(this::follow);
  }

  private long follow(Path log, long position) {
    if (!Files.exists(log)) {
      return position;
    }
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      byte[] added = new byte[(int) Math.min(MOST_AT_ONCE, file.length() - position)];
      file.seek(position);
      file.readFully(added);
      int end = added.length;
      while (end > 0 && added[end - 1] != '\n') {
        end--;
      }
      new String(added, 0, end, StandardCharsets.UTF_8).lines().forEach(this::take);
      return position + end;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void take(String line) {
    if (PlanLine.parse(line).isPresent()) {
      planned++;
    }
    BatchLine.parse(line)
        .ifPresent(
            batch -> {
              committed++;
              read += batch.report().read();
              replays += batch.report().connectorReplay() + batch.report().inBatch();
            });
    fenced += line.contains("fenced target=") ? 1 : 0;
    inDoubt += line.contains("Unknown[") ? 1 : 0;
    triedAgain += line.contains("trying again until it works") ? 1 : 0;
    if (line.contains(" ERROR ") && errors.size() < MOST_ERRORS) {
      errors.add(line);
    }
  }

  /** The figures. */
  synchronized SoakResult.Batches figures() {
    return new SoakResult.Batches(
        planned, committed, planned - committed, fenced, inDoubt, triedAgain, read, replays);
  }

  /** Lines at level ERROR, the first few. */
  synchronized List<String> errors() {
    return List.copyOf(errors);
  }
}
