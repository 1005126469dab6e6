package io.onceberg.it.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Processor time of a process against the rows it has committed. Unlike a rate it hardly depends on
 * what else the machine does.
 */
final class CpuCourse {
  private record Sample(long rows, Duration cpu) {}

  private final List<Sample> samples = new ArrayList<>();

  /** Notes where the process stands, when it has committed more rows than before. */
  void note(long rows, long pid) {
    if (samples.isEmpty() ? rows > 0 : rows > samples.get(samples.size() - 1).rows()) {
      samples.add(new Sample(rows, ProcessFigures.of(pid).cpu()));
    }
  }

  /** Microseconds of processor time per row from the first commit seen to the last: warm. */
  double microsPerRow() {
    if (samples.size() < 2) {
      return Double.NaN;
    }
    Sample from = samples.get(0);
    Sample until = samples.get(samples.size() - 1);
    return until.cpu().minus(from.cpu()).toNanos() / 1000.0 / (until.rows() - from.rows());
  }
}
