package io.onceberg.ingest.dedup;

import io.onceberg.keystore.SourceRange;
import java.io.Serializable;
import java.util.List;

/** The ranges that one reading task reads, in order. */
public record ReadTask(int number, List<Part> parts) implements Serializable {
  /** A range of one target. */
  public record Part(int target, int topic, SourceRange range) implements Serializable {}

  public ReadTask {
    parts = List.copyOf(parts);
  }
}
