package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.BenchException;
import io.onceberg.it.bench.Scratch;
import java.nio.file.Path;

/** Someone else's table format, with a class path of its own and not started yet. */
final class Peer {
  private final Measure measure;
  private final Path home;
  private final String classPath;
  private final PeerHeap heap;

  private Peer(Measure measure, Path home, String classPath, PeerHeap heap) {
    this.measure = measure;
    this.home = home;
    this.classPath = classPath;
    this.heap = heap;
  }

  /** Makes its class path; Maven may download a lot for that. */
  static Peer make(Measure measure, KeysPlan plan, Path root) {
    Path home = root.resolve(measure.label());
    Path module = plan.peers().resolve(measure.label());
    return new Peer(measure, home, PeerProcess.classPath(module, home), plan.peerHeap());
  }

  Measure measure() {
    return measure;
  }

  /**
   * Starts it and copies the target's rows into a table of its own.
   *
   * @param rows the target's Parquet files, a pattern
   * @param files the batches
   */
  PeerContender start(EventNumbers numbers, String rows, BatchFiles files) {
    boolean hudi = measure == Measure.HUDI;
    PeerProcess spark =
        PeerProcess.start(
            measure.label(),
            classPath,
            heap,
            home,
            hudi ? HudiContender.SETTINGS : DeltaContender.SETTINGS);
    try {
      spark.begin("copying %,d rows", numbers.keys());
      spark.view("stored", rows);
      Path table = home.resolve(PeerContender.TABLE);
      return hudi
          ? HudiContender.copy(spark, table, numbers, files)
          : DeltaContender.copy(spark, table, numbers, files);
    } catch (BenchException e) {
      spark.close();
      throw e;
    }
  }

  /** Deletes its table, which is as large as the target. */
  void clear() {
    Scratch.delete(home.resolve(PeerContender.TABLE));
  }
}
