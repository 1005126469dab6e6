package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lets contenders take turns, so that what else the machine does hits all of them alike. */
final class Rounds {
  private final Progress progress;
  private final int batches;
  private final List<Timing> timings = new ArrayList<>();

  /**
   * Makes none yet.
   *
   * @param batches how many different batches of one share of duplicates are taken in turn
   */
  Rounds(Progress progress, int batches) {
    this.progress = progress;
    this.batches = batches;
  }

  /** What was measured so far. */
  List<Timing> timings() {
    return List.copyOf(timings);
  }

  /**
   * Measures every share of duplicates.
   *
   * @param warmUp with what everyone is run once before
   */
  void run(List<? extends Contender> contenders, int runs, List<Duplicates> warmUp) {
    for (Duplicates duplicates : warmUp) {
      contenders.forEach(contender -> once(contender, duplicates, batches - 1));
    }
    for (Duplicates duplicates : Duplicates.values()) {
      take(contenders, duplicates, runs);
    }
  }

  private void take(List<? extends Contender> contenders, Duplicates duplicates, int runs) {
    Map<Contender, List<Double>> millis = new LinkedHashMap<>();
    for (int run = 0; run < runs; run++) {
      for (int i = 0; i < contenders.size(); i++) {
        Contender contender = contenders.get((i + run) % contenders.size());
        millis
            .computeIfAbsent(contender, c -> new ArrayList<>())
            .add(once(contender, duplicates, run % batches));
      }
    }
    for (Contender contender : contenders) {
      Timing timing =
          new Timing(contender.measure(), duplicates, millis.getOrDefault(contender, List.of()));
      timings.add(timing);
      progress.say(
          "%s, %s: %,.0f ms", timing.measure().label(), duplicates.title(), timing.median());
    }
  }

  private static double once(Contender contender, Duplicates duplicates, int batch) {
    contender.prepare(duplicates, batch);
    long start = System.nanoTime();
    contender.run();
    double millis = (System.nanoTime() - start) / 1e6;
    contender.settle();
    return millis;
  }
}
