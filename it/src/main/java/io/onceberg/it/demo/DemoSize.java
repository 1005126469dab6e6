package io.onceberg.it.demo;

/**
 * How much happens in each part of the demo.
 *
 * @param before rounds before the kills; all of them come again
 * @param burst rows per table in the transaction whose batch is interrupted
 * @param after rounds after the restart
 */
record DemoSize(int before, int burst, int after) {
  private static final int COPIED = 1_000;

  /** Sizes for about so many changes; fewer than some 12,000 would not show what is to be shown. */
  static DemoSize of(int events) {
    int before = Math.max(45, events * 45 / 100 / Workload.CHANGES_PER_ROUND);
    int burst = Math.max(600, events / 33);
    int rest = events - COPIED - before * Workload.CHANGES_PER_ROUND - burst * DemoTable.ALL.size();
    return new DemoSize(before, burst, Math.max(10, rest / Workload.CHANGES_PER_ROUND));
  }
}
