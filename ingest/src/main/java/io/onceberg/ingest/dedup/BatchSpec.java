package io.onceberg.ingest.dedup;

import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * All that the tasks of one batch need.
 *
 * @param topics the batch's topics in order; frames name them by number
 * @param topicIds the id of each topic
 * @param consumer Kafka consumer configuration
 * @param pollTimeout how long Kafka may stay silent
 * @param loadedDate the batch's UTC day, days since the epoch
 * @param writers the number of writing tasks
 * @param schemaLookAhead how many records of a target a reading task still looks at after one that
 *     the tables cannot hold yet; the rest is read by the run that follows
 * @param plainAppend leaves out identities, the unique step and the keys: for benchmarks only
 * @param exchange the number of the {@link ChunkExchange} that both stages reach, or 0 where they
 *     may run in different processes
 */
public record BatchSpec(
    List<TargetSpec> targets,
    List<String> topics,
    List<String> topicIds,
    Map<String, String> consumer,
    Duration pollTimeout,
    int loadedDate,
    int writers,
    long schemaLookAhead,
    boolean plainAppend,
    long exchange)
    implements Serializable {
  public BatchSpec {
    targets = List.copyOf(targets);
    topics = List.copyOf(topics);
    topicIds = List.copyOf(topicIds);
    consumer = Map.copyOf(consumer);
  }
}
