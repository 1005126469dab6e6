package io.onceberg.it.bench.keys;

import java.util.List;

/**
 * What one measure took at one share of duplicates.
 *
 * @param millis one for each run
 */
record Timing(Measure measure, Duplicates duplicates, List<Double> millis) {
  Timing {
    millis = millis.stream().sorted().toList();
    if (millis.isEmpty()) {
      throw new IllegalArgumentException("no run of " + measure);
    }
  }

  double median() {
    int middle = millis.size() / 2;
    return millis.size() % 2 == 1
        ? millis.get(middle)
        : (millis.get(middle - 1) + millis.get(middle)) / 2;
  }

  double least() {
    return millis.get(0);
  }

  double greatest() {
    return millis.get(millis.size() - 1);
  }

  int runs() {
    return millis.size();
  }
}
