package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.Scratch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Someone else's table format, with a class path of its own and not started yet. */
final class Peer {
  private final Measure measure;
  private final Path home;
  private final String classPath;

  private Peer(Measure measure, Path home, String classPath) {
    this.measure = measure;
    this.home = home;
    this.classPath = classPath;
  }

  /** Makes the class paths of those that are not left out; Maven may download a lot for that. */
  static List<Peer> make(KeysPlan plan, Path root, Progress progress) {
    List<Peer> peers = new ArrayList<>();
    for (Measure measure : List.of(Measure.HUDI, Measure.DELTA)) {
      if (plan.has(measure)) {
        progress.say("asking Maven for the class path of %s", measure.label());
        Path home = root.resolve(measure.label());
        Path module = plan.peers().resolve(measure.label());
        peers.add(new Peer(measure, home, PeerProcess.classPath(module, home)));
      }
    }
    return peers;
  }

  String title() {
    return measure.label();
  }

  /**
   * Starts it and copies the target's rows into a table of its own.
   *
   * @param rows the target's Parquet files, a pattern
   * @param files the batches
   */
  PeerContender start(EventNumbers numbers, String rows, BatchFiles files) {
    return measure == Measure.HUDI
        ? HudiContender.start(classPath, home, numbers, rows, files)
        : DeltaContender.start(classPath, home, numbers, rows, files);
  }

  /** Deletes its table, which is as large as the target. */
  void clear() {
    Scratch.delete(home.resolve(PeerContender.TABLE));
  }
}
