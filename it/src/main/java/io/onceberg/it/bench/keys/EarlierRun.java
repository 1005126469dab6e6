package io.onceberg.it.bench.keys;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.onceberg.it.bench.Bar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Whole batches of an earlier run with another number of keys, to tell how their cost grows.
 *
 * @param millis medians
 */
record EarlierRun(long keys, Map<Duplicates, Double> millis) {
  EarlierRun {
    millis = Map.copyOf(millis);
  }

  /** Reads what {@link KeysReportJson} wrote. */
  static EarlierRun read(Path file) throws IOException {
    JsonNode root = new ObjectMapper().readTree(file.toFile());
    Map<Duplicates, Double> millis = new EnumMap<>(Duplicates.class);
    for (JsonNode result : root.path("results")) {
      if (result.path("measure").asText().equals(Measure.BATCH.label())) {
        for (Duplicates duplicates : Duplicates.values()) {
          if (duplicates.percent() == result.path("duplicates").asInt()) {
            millis.put(duplicates, result.path("medianMillis").asDouble());
          }
        }
      }
    }
    if (millis.isEmpty()) {
      throw new IllegalArgumentException("--compare: no results of a run in " + file);
    }
    return new EarlierRun(root.path("keys").asLong(), millis);
  }

  List<Bar> bars(KeysReport now) {
    List<Bar> bars = new ArrayList<>();
    for (Duplicates duplicates : List.of(Duplicates.NONE, Duplicates.FEW)) {
      double before = millis.getOrDefault(duplicates, Double.NaN);
      bars.add(
          new Bar(
              String.format(
                  Locale.ROOT,
                  "whole batch, %d %% duplicates, times that at %,d keys",
                  duplicates.percent(),
                  keys),
              now.median(Measure.BATCH, duplicates) / before,
              KeysReport.BAR_OF_GROWTH,
              false));
    }
    return bars;
  }
}
