package io.onceberg.it.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where a recorded JVM spent its processor time: methods by the samples in which they were running
 * ({@code self}), our methods by the samples in which they or libraries that they called were
 * running ({@code nearest}), and by those in which they or anything below them was ({@code total}).
 */
record Profile(long samples, List<Share> self, List<Share> nearest, List<Share> total) {
  private static final int LISTED = 30;

  /** A method and how many samples it was in. */
  record Share(String method, long samples) {}

  static Profile of(Path recording) {
    Map<String, Long> self = new HashMap<>();
    Map<String, Long> nearest = new HashMap<>();
    Map<String, Long> total = new HashMap<>();
    long samples = 0;
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        if (event.getEventType().getName().equals("jdk.ExecutionSample")
            && event.getStackTrace() != null) {
          samples++;
          count(event.getStackTrace().getFrames(), self, nearest, total);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Profile(samples, top(self), top(nearest), top(total));
  }

  private static void count(
      List<RecordedFrame> frames,
      Map<String, Long> self,
      Map<String, Long> nearest,
      Map<String, Long> total) {
    Set<String> ours = new LinkedHashSet<>();
    for (int i = 0; i < frames.size(); i++) {
      String name = name(frames.get(i));
      if (i == 0) {
        self.merge(name, 1L, Long::sum);
      }
      if (name.startsWith("io.onceberg.")) {
        if (ours.isEmpty()) {
          nearest.merge(name, 1L, Long::sum);
        }
        ours.add(name);
      }
    }
    ours.forEach(name -> total.merge(name, 1L, Long::sum));
  }

  private static String name(RecordedFrame frame) {
    return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
  }

  private static List<Share> top(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .map(entry -> new Share(entry.getKey(), entry.getValue()))
        .sorted(Comparator.comparingLong(Share::samples).reversed().thenComparing(Share::method))
        .limit(LISTED)
        .toList();
  }

  /** The lists with percentages, for people. */
  String describe() {
    return "%d samples; running methods:%n%sour methods with the libraries they call:%n%sour methods with all below them:%n%s"
        .formatted(samples, lines(self), lines(nearest), lines(total));
  }

  private String lines(List<Share> shares) {
    StringBuilder text = new StringBuilder();
    for (Share share : shares) {
      text.append("  %5.1f %%  %s%n".formatted(100.0 * share.samples / samples, share.method));
    }
    return text.toString();
  }
}
