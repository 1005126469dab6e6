package io.onceberg.it.bench.keys;

/**
 * How often everything is measured.
 *
 * @param runs of each of our own measures
 * @param peerRuns of each of the others, which take longer
 * @param series batches that follow one another
 * @param small batches of few rows, after as many for warming up
 */
record Effort(int runs, int peerRuns, int series, int small) {
  private static final int SERIES = 16;
  private static final int SMALL = 20;

  Effort {
    if (runs < 1 || peerRuns < 1 || series < 1 || small < 1) {
      throw new IllegalArgumentException(
          "--runs and --peer-runs must be at least 1, not %d and %d".formatted(runs, peerRuns));
    }
  }

  static Effort of(int runs, int peerRuns) {
    return new Effort(runs, peerRuns, SERIES, SMALL);
  }
}
