package io.onceberg.it.bench.keys;

import java.util.ArrayList;
import java.util.List;

/**
 * Batches of new rows one after another on the growing target, so that merging key files, which
 * comes with every few batches, takes its part.
 *
 * @param batchMillis of the batches with deduplication
 * @param appendMillis of the same ones without
 */
record Series(List<Double> batchMillis, List<Double> appendMillis) {
  Series {
    batchMillis = List.copyOf(batchMillis);
    appendMillis = List.copyOf(appendMillis);
  }

  static Series run(EngineContender exact, EngineContender plain, int batches) {
    return new Series(each(exact, batches), each(plain, batches));
  }

  private static List<Double> each(EngineContender contender, int batches) {
    List<Double> millis = new ArrayList<>();
    for (int batch = 0; batch < batches; batch++) {
      contender.prepare(Duplicates.NONE, batch);
      long start = System.nanoTime();
      contender.run();
      millis.add((System.nanoTime() - start) / 1e6);
      contender.check();
    }
    contender.putBack();
    return millis;
  }

  int batches() {
    return batchMillis.size();
  }

  double meanBatch() {
    return mean(batchMillis);
  }

  double meanAppend() {
    return mean(appendMillis);
  }

  private static double mean(List<Double> millis) {
    return millis.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
  }
}
