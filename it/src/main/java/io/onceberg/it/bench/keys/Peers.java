package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.BenchException;
import io.onceberg.it.bench.Progress;
import io.onceberg.it.stack.StackException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Those who run in processes of their own. What one of them fails at ends its own part of the run
 * and nothing else.
 */
final class Peers {
  static final List<Measure> ALL = List.of(Measure.HUDI, Measure.DELTA);

  private final Progress progress;
  private final List<Peer> peers = new ArrayList<>();
  private final Map<Measure, String> failures = new EnumMap<>(Measure.class);

  private Peers(Progress progress) {
    this.progress = progress;
  }

  /** Makes the class paths of those that are not left out; Maven may download a lot for that. */
  static Peers make(KeysPlan plan, Path root, Progress progress) {
    Peers peers = new Peers(progress);
    for (Measure measure : ALL) {
      if (plan.has(measure)) {
        progress.say("asking Maven for the class path of %s", measure.label());
        peers.attempt(measure, () -> peers.peers.add(Peer.make(measure, plan, root)));
      }
    }
    return peers;
  }

  /**
   * Measures one after another, each on a copy of the target's rows.
   *
   * @param rows the target's Parquet files, a pattern
   * @param files the batches
   */
  void measure(
      Rounds rounds,
      int runs,
      List<Duplicates> warmUp,
      EventNumbers numbers,
      String rows,
      BatchFiles files) {
    for (Peer peer : peers) {
      attempt(
          peer.measure(),
          () -> {
            progress.say("%s: copying the target's rows", peer.measure().label());
            try (PeerContender contender = peer.start(numbers, rows, files)) {
              rounds.run(List.of(contender), runs, warmUp);
            }
          });
      peer.clear();
    }
  }

  private void attempt(Measure measure, Runnable part) {
    try {
      part.run();
    } catch (BenchException | StackException e) {
      String message = String.valueOf(e.getMessage());
      progress.say("%s failed, the run goes on. %s", measure.label(), message);
      failures.put(measure, message.lines().findFirst().orElse(message));
    }
  }

  /** Why some have no figures, or not all; one line each. */
  Map<Measure, String> failures() {
    return Map.copyOf(failures);
  }
}
