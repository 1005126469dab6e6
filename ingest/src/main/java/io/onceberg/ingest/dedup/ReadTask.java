package io.onceberg.ingest.dedup;

import io.onceberg.keystore.SourceRange;
import java.io.Serializable;
import java.util.List;

/** The ranges that one reading task reads, in order. */
public record ReadTask(int number, List<Part> parts) implements Serializable {
  /**
   * A range of one target.
   *
   * @param topic the topic's number in the batch
   * @param undivided whether the topic has this one partition only
   */
  public record Part(int target, int topic, SourceRange range, boolean undivided)
      implements Serializable {}

  public ReadTask {
    parts = List.copyOf(parts);
  }
}
