package io.onceberg.it.bench.keys;

/** How much of a batch the target holds already, and of which days. */
enum Duplicates {
  NONE(0, false),
  FEW(1, false),
  HALF(50, true),
  ALL(100, true);

  private final int percent;
  private final boolean lastDay;

  Duplicates(int percent, boolean lastDay) {
    this.percent = percent;
    this.lastDay = lastDay;
  }

  int percent() {
    return percent;
  }

  /** Whether they are drawn from the last day only, and not from all. */
  boolean lastDay() {
    return lastDay;
  }

  String title() {
    return percent == 0 ? "0 %" : percent + " %, " + (lastDay ? "last day" : "all days");
  }
}
