package io.onceberg.ingest.config;

import java.util.List;
import java.util.regex.Pattern;

/** Which topics are read. */
public sealed interface TopicSelection {
  /** These, and each must exist. */
  record Listed(List<String> topics) implements TopicSelection {
    public Listed {
      topics = List.copyOf(topics);
    }
  }

  /** Every topic whose whole name matches, now or later. */
  record Matching(Pattern pattern) implements TopicSelection {}
}
