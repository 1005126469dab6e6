package io.onceberg.ingest.sink;

import io.onceberg.ingest.config.KafkaSettings;
import io.onceberg.ingest.config.TargetDefinition;
import io.onceberg.ingest.dedup.BatchSpec;
import io.onceberg.ingest.dedup.ChunkExchange;
import io.onceberg.ingest.dedup.ReadStage;
import io.onceberg.ingest.dedup.ReadTask;
import io.onceberg.ingest.dedup.TargetSpec;
import io.onceberg.ingest.dedup.WriteResult;
import io.onceberg.ingest.dedup.WriteStage;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.TaskTarget;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** The one Spark job of a batch: read, shuffle by identity, write; for all targets at once. */
final class BatchJob {
  /** Below this many records one writing task serves a target: fewer, larger files. */
  private static final long LEAST_RECORDS_TO_SHARE = 20_000;

  /** One target's part of the job. */
  record Part(
      TargetDefinition definition,
      TaskTarget tables,
      List<SourceRange> ranges,
      Set<String> undivided) {
    long length() {
      return ranges.stream().mapToLong(SourceRange::length).sum();
    }
  }

  private final JavaSparkContext spark;
  private final KafkaSettings kafka;
  private final boolean plainAppend;

  BatchJob(JavaSparkContext spark, KafkaSettings kafka, boolean plainAppend) {
    this.spark = spark;
    this.kafka = kafka;
    this.plainAppend = plainAppend;
  }

  /**
   * Runs the job and gives what each writing task did for each target, by the target's place.
   *
   * @param schemaLookAhead as in {@link BatchSpec}
   */
  List<WriteResult> run(List<Part> parts, int loadedDate, long schemaLookAhead) {
    if (!spark.isLocal()) {
      return run(parts, loadedDate, schemaLookAhead, 0);
    }
    try (ChunkExchange exchange = ChunkExchange.open()) {
      List<WriteResult> results = run(parts, loadedDate, schemaLookAhead, exchange.number());
      exchange.recycle();
      return results;
    }
  }

  private List<WriteResult> run(
      List<Part> parts, int loadedDate, long schemaLookAhead, long exchange) {
    SortedMap<String, String> topicIds = topicIds(parts);
    List<String> topics = List.copyOf(topicIds.keySet());
    int writers = plainAppend ? 1 : writers(parts);
    BatchSpec batch =
        new BatchSpec(
            targets(parts, writers),
            topics,
            List.copyOf(topicIds.values()),
            kafka.properties(),
            kafka.pollTimeout(),
            loadedDate,
            writers,
            schemaLookAhead,
            plainAppend,
            exchange);
    List<ReadTask> tasks = ReadTasks.cut(readParts(parts, topics), spark.defaultParallelism());
    JavaPairRDD<Integer, byte[]> chunks =
        spark
            .parallelize(tasks.stream().map(ReadTask::number).toList(), tasks.size())
            .mapPartitionsToPair(new ReadStage(batch, tasks));
    if (!plainAppend) {
      chunks = chunks.partitionBy(new ByWriter(writers));
    }
    return chunks.mapPartitions(new WriteStage(batch)).collect().stream()
        .map(WriteResult::read)
        .toList();
  }

  /** Small targets are not shared, but several of them are spread over the tasks. */
  private int writers(List<Part> parts) {
    long records = parts.stream().mapToLong(Part::length).sum();
    int most = spark.defaultParallelism();
    return records < LEAST_RECORDS_TO_SHARE ? Math.min(parts.size(), most) : most;
  }

  private static SortedMap<String, String> topicIds(List<Part> parts) {
    SortedMap<String, String> ids = new TreeMap<>();
    for (Part part : parts) {
      part.ranges().forEach(range -> ids.put(range.partition().topic(), range.topicId()));
    }
    return ids;
  }

  private List<TargetSpec> targets(List<Part> parts, int writers) {
    List<TargetSpec> specs = new ArrayList<>();
    for (Part part : parts) {
      int share = part.length() < LEAST_RECORDS_TO_SHARE ? 1 : writers;
      specs.add(
          new TargetSpec(
              part.tables(),
              part.definition().decode(),
              part.definition().dedup(),
              specs.size() % writers,
              share));
    }
    return specs;
  }

  private static List<ReadTask.Part> readParts(List<Part> parts, List<String> topics) {
    List<ReadTask.Part> all = new ArrayList<>();
    for (int target = 0; target < parts.size(); target++) {
      for (SourceRange range : parts.get(target).ranges()) {
        String topic = range.partition().topic();
        boolean undivided = parts.get(target).undivided().contains(topic);
        all.add(new ReadTask.Part(target, topics.indexOf(topic), range, undivided));
      }
    }
    all.sort(
        Comparator.comparingInt(ReadTask.Part::target)
            .thenComparing(part -> part.range().partition())
            .thenComparingLong(part -> part.range().from()));
    return all;
  }

  /** Sends a chunk to the writing task that its key names. */
  private static final class ByWriter extends Partitioner {
    private static final long serialVersionUID = 1L;
    private final int writers;

    ByWriter(int writers) {
      this.writers = writers;
    }

    @Override
    public int numPartitions() {
      return writers;
    }

    @Override
    public int getPartition(Object key) {
      return (Integer) key;
    }
  }
}
