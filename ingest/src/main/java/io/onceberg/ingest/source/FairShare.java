package io.onceberg.ingest.source;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Divides a budget: who wants little gets all of it, and the rest is shared equally by those who
 * want more.
 */
final class FairShare {
  private FairShare() {}

  /**
   * Divides.
   *
   * @param wanted what each could use, in the budget's unit
   * @return what each gets; the sum is at most the budget
   */
  static double[] divide(double budget, double[] wanted) {
    Integer[] smallestFirst = new Integer[wanted.length];
    Arrays.setAll(smallestFirst, i -> i);
    Arrays.sort(smallestFirst, Comparator.comparingDouble(i -> wanted[i]));
    double[] granted = new double[wanted.length];
    double left = budget;
    int claimants = wanted.length;
    for (int i : smallestFirst) {
      granted[i] = Math.min(wanted[i], left / claimants);
      left -= granted[i];
      claimants--;
    }
    return granted;
  }
}
