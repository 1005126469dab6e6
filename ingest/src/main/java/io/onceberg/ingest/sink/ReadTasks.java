package io.onceberg.ingest.sink;

import io.onceberg.ingest.dedup.ReadTask;
import io.onceberg.keystore.SourceRange;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a batch's ranges into reading tasks of about the same number of offsets. Tasks follow each
 * other in the order of the parts they are given, so that a task's number is also the order of what
 * it reads; a range may be cut in several places.
 */
final class ReadTasks {
  /** Below this many offsets a further task costs more than it saves. */
  private static final long LEAST_OFFSETS = 4_000;

  private ReadTasks() {}

  static List<ReadTask> cut(List<ReadTask.Part> parts, int mostTasks) {
    long total = parts.stream().mapToLong(part -> part.range().length()).sum();
    long tasks = Math.max(1, Math.min(mostTasks, total / LEAST_OFFSETS));
    long share = (total + tasks - 1) / tasks;
    List<ReadTask> cut = new ArrayList<>();
    List<ReadTask.Part> current = new ArrayList<>();
    long room = share;
    for (ReadTask.Part part : parts) {
      long from = part.range().from();
      while (from < part.range().until()) {
        long until = Math.min(part.range().until(), from + room);
        current.add(piece(part, from, until));
        room -= until - from;
        from = until;
        if (room == 0) {
          cut.add(new ReadTask(cut.size(), current));
          current = new ArrayList<>();
          room = share;
        }
      }
    }
    if (!current.isEmpty()) {
      cut.add(new ReadTask(cut.size(), current));
    }
    return cut;
  }

  private static ReadTask.Part piece(ReadTask.Part part, long from, long until) {
    SourceRange range = part.range();
    return new ReadTask.Part(
        part.target(),
        part.topic(),
        new SourceRange(range.partition(), range.topicId(), from, until),
        part.undivided());
  }
}
