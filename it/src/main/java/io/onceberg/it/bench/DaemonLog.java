package io.onceberg.it.bench;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The plan and batch lines in the daemon's log, with the times at which they were logged. */
final class DaemonLog {
  /**
   * A committed batch.
   *
   * @param atMillis when its line was logged, milliseconds since the epoch
   * @param millis from its start to its commit, as the daemon took it
   */
  record Batch(long atMillis, long read, long rows, long connectorReplay, long millis) {}

  private static final Pattern LINE =
      Pattern.compile("^(\\S+Z) +[A-Z]+ +\\S+ (plan|batch) (target=.*)$");
  private static final Pattern WRONG = Pattern.compile("^\\S+Z +(ERROR|WARN) .*");

  private final LogTail tail;
  private final List<Batch> batches = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();
  private Optional<Long> firstPlanMillis = Optional.empty();

  DaemonLog(Path file) {
    tail = new LogTail(file);
  }

  /** Takes in what was logged since the last call. */
  void refresh() {
    tail.more().forEach(this::take);
  }

  List<Batch> batches() {
    return List.copyOf(batches);
  }

  long read() {
    return batches.stream().mapToLong(Batch::read).sum();
  }

  /** Warnings and errors. */
  List<String> complaints() {
    return List.copyOf(complaints);
  }

  long firstPlanMillis() {
    return firstPlanMillis.orElseThrow(() -> new BenchException("the daemon planned no batch"));
  }

  private void take(String line) {
    if (WRONG.matcher(line).matches()) {
      complaints.add(line);
    }
    Matcher matcher = LINE.matcher(line);
    if (!matcher.matches()) {
      return;
    }
    long at = Instant.parse(matcher.group(1)).toEpochMilli();
    String values = matcher.group(3);
    if (matcher.group(2).equals("plan")) {
      firstPlanMillis = Optional.of(firstPlanMillis.orElse(at));
    } else {
      batches.add(
          new Batch(
              at,
              number(values, "read"),
              number(values, "rows"),
              number(values, "connector_replay"),
              number(values, "millis")));
    }
  }

  private static long number(String values, String name) {
    return Stream.of(values.split(" ", -1))
        .filter(value -> value.startsWith(name + "="))
        .mapToLong(value -> Long.parseLong(value.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new BenchException("no " + name + " in the daemon's line: " + values));
  }
}
