package io.onceberg.it.bench;

import java.util.List;

/** Memory of a daemon over many batches, looked at now and then after a full collection. */
record MemoryCourse(List<Look> looks) {
  static final int BATCHES = 200;
  static final int FIRST_LOOK = 50;

  /** What grows by no more than this, in megabytes, counts as flat. */
  static final int TOLERANCE = 64;

  /**
   * One look.
   *
   * @param batch how many batches had been committed
   * @param heapMegabytes heap in use after a full collection
   * @param batchMillis the median duration of the ten batches before
   */
  record Look(int batch, long heapMegabytes, long rssMegabytes, long batchMillis) {}

  MemoryCourse {
    looks = List.copyOf(looks);
  }

  long heapGrowth() {
    return looks.get(looks.size() - 1).heapMegabytes() - looks.get(0).heapMegabytes();
  }

  boolean isFlat() {
    return heapGrowth() <= TOLERANCE;
  }
}
