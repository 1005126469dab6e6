package io.onceberg.ingest.source;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A topic as Kafka has it now.
 *
 * @param id changes when the topic is deleted and created again
 * @param partitions every partition with its bounds
 */
record TopicState(String topic, String id, SortedMap<Integer, Bounds> partitions) {
  /**
   * What Kafka holds of one partition.
   *
   * @param begin the first offset still kept
   * @param end the first offset that is not yet readable: the log's end, or the start of a
   *     transaction that is still open
   */
  record Bounds(long begin, long end) {}

  TopicState {
    partitions = Collections.unmodifiableSortedMap(new TreeMap<>(partitions));
  }
}
