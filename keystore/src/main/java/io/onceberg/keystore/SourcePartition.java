package io.onceberg.keystore;

import java.io.Serializable;
import java.util.Comparator;

/** One partition of one source topic. */
public record SourcePartition(String topic, int partition)
    implements Comparable<SourcePartition>, Serializable {
  private static final Comparator<SourcePartition> ORDER =
      Comparator.comparing(SourcePartition::topic).thenComparingInt(SourcePartition::partition);

  public SourcePartition {
    if (topic.isEmpty() || partition < 0) {
      throw new IllegalArgumentException("no such partition: " + topic + "-" + partition);
    }
  }

  @Override
  public int compareTo(SourcePartition other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
