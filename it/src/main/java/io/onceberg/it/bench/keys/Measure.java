package io.onceberg.it.bench.keys;

import java.util.Arrays;
import java.util.stream.Collectors;

/** What is measured for each share of duplicates. */
enum Measure {
  LOOKUP("lookup", "Onceberg: lookup alone", false),
  BATCH("batch", "Onceberg: whole batch from Kafka", false),
  APPEND("append", "Onceberg: plain append from Kafka", false),
  STAGED_BATCH("batch_without_reading", "  whole batch, rows in memory", false),
  STAGED_APPEND("append_without_reading", "  plain append, rows in memory", false),
  LEFT_ANTI_KEYS("left_anti_keys", "Spark left_anti on the keys table", true),
  LEFT_ANTI_TARGET("left_anti_target", "Spark left_anti on the target", true),
  MERGE_TARGET("merge_target", "Spark MERGE INTO the target", true),
  HUDI("hudi", "Hudi insert, duplicates dropped", true),
  DELTA("delta", "Delta insert-only MERGE", true);

  private final String label;
  private final String title;
  private final boolean peer;

  Measure(String label, String title, boolean peer) {
    this.label = label;
    this.title = title;
    this.peer = peer;
  }

  /** The name on the command line and in the JSON report. */
  String label() {
    return label;
  }

  String title() {
    return title;
  }

  /** Whether it reads rows that the target had before. */
  boolean readsTarget() {
    return switch (this) {
      case LEFT_ANTI_TARGET, MERGE_TARGET, HUDI, DELTA -> true;
      default -> false;
    };
  }

  /** Whether it can be left out. */
  boolean isPeer() {
    return peer;
  }

  static Measure peer(String label) {
    return Arrays.stream(values())
        .filter(measure -> measure.peer && measure.label.equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "--without knows %s, not '%s'"
                        .formatted(
                            Arrays.stream(values())
                                .filter(Measure::isPeer)
                                .map(Measure::label)
                                .collect(Collectors.joining(", ")),
                            label)));
  }
}
