package io.onceberg.it.bench;

import java.util.List;

/**
 * What batches of a hundred rows cost a warm daemon.
 *
 * @param batchMillis for each batch, from its start to its commit, as the daemon took it
 * @param wallMillis for each batch, from the last record's acknowledgement by Kafka to the batch's
 *     line in the log: what a reader waits, the daemon's pause between two looks included
 */
record SmallBatches(List<Long> batchMillis, List<Long> wallMillis) {
  static final int ROWS = 100;
  static final int BAR_MILLIS = 500;

  SmallBatches {
    batchMillis = List.copyOf(batchMillis);
    wallMillis = List.copyOf(wallMillis);
  }

  long medianMillis() {
    return quantile(batchMillis, 0.5);
  }

  long medianWallMillis() {
    return quantile(wallMillis, 0.5);
  }

  static long quantile(List<Long> values, double quantile) {
    List<Long> sorted = values.stream().sorted().toList();
    return sorted.get((int) Math.min(sorted.size() - 1, Math.floor(quantile * sorted.size())));
  }
}
