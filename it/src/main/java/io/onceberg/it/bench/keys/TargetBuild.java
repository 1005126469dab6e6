package io.onceberg.it.bench.keys;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.it.bench.BenchException;
import io.onceberg.it.bench.Progress;
import io.onceberg.keystore.BatchId;
import io.onceberg.keystore.CommitOutcome;
import io.onceberg.keystore.KeyProgress;
import io.onceberg.keystore.KeysTable;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceProgress;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.SourceSchema;
import io.onceberg.keystore.StagedFiles;
import io.onceberg.keystore.Target;
import io.onceberg.keystore.TaskTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Fills a target as the daemon would have over ten days: rows, and for each day as few sorted key
 * files as merging leaves behind. Written by the daemon's own writers, without Kafka in between.
 */
final class TargetBuild {
  /** Merging makes no file of more than 4 M keys. */
  private static final long MOST_KEYS_MERGED = 4_000_000;

  /** Files of which two are too many to be merged again, and that a task can sort in memory. */
  private static final long KEYS_OF_A_RUN = 3_000_000;

  private static final SourcePartition SOURCE = new SourcePartition(TargetRows.TOPIC, 0);
  private static final String TOPIC_ID = "stored-before-the-run";

  private final JavaSparkContext spark;
  private final Progress progress;

  TargetBuild(JavaSparkContext spark, Progress progress) {
    this.spark = spark;
    this.progress = progress;
  }

  /**
   * Fills it.
   *
   * @param keys the target's keys table, to be tidied up
   * @param withRows false for a run in which nothing reads the rows
   */
  void build(
      Target target,
      KeysTable keys,
      DedupPolicy policy,
      EventNumbers numbers,
      int lastDay,
      boolean withRows) {
    target.evolve(List.of(new SourceSchema(Event.COLUMNS, null)));
    TaskTarget pinned = target.pin();
    List<BuildTask.Part> parts = parts(numbers, lastDay);
    TreeMap<Integer, StagedFiles> days = new TreeMap<>();
    Progress.Step step =
        progress
        .new Step(
            withRows
                ? "rows and keys written"
                : "keys written, no rows since nothing that is measured reads them",
            numbers.keys());
    int wave = spark.defaultParallelism();
    long done = 0;
    for (int i = 0; i < parts.size(); i += wave) {
      List<BuildTask.Part> some = parts.subList(i, Math.min(parts.size(), i + wave));
      List<byte[]> written =
          spark
              .parallelize(places(some), some.size())
              .mapPartitions(new BuildTask(pinned, policy, some, withRows))
              .collect();
      for (int j = 0; j < some.size(); j++) {
        days.merge(some.get(j).day(), Parts.all(written.subList(j, j + 1)), StagedFiles::plus);
        done += some.get(j).length();
      }
      step.at(done);
    }
    days.values().forEach(files -> commit(target, files));
    step.done();
    mergePastDays(keys, lastDay);
    target.refresh();
  }

  /** As the daemon does with the first batch of each day. */
  private void mergePastDays(KeysTable keys, int lastDay) {
    keys.compactBefore(
        lastDay,
        KeyProgress.NONE,
        merged ->
            progress.say(
                "keys of %s merged: %d files to %d", merged.day(), merged.files(), merged.into()));
  }

  static List<Integer> places(List<?> list) {
    return IntStream.range(0, list.size()).boxed().toList();
  }

  private static List<BuildTask.Part> parts(EventNumbers numbers, int lastDay) {
    long perDay = numbers.keysOfDay();
    long runs = perDay <= MOST_KEYS_MERGED ? 1 : (perDay + KEYS_OF_A_RUN - 1) / KEYS_OF_A_RUN;
    List<BuildTask.Part> parts = new ArrayList<>();
    for (int day = 0; day < EventNumbers.DAYS; day++) {
      for (long run = 0; run < runs; run++) {
        long first = day * perDay;
        parts.add(
            new BuildTask.Part(
                lastDay - EventNumbers.DAYS + 1 + day,
                first + perDay * run / runs,
                first + perDay * (run + 1) / runs));
      }
    }
    return parts;
  }

  /** Commits files as a batch of their own, on top of where the target was pinned. */
  static void commit(Target target, StagedFiles files) {
    Ledger ledger = target.ledger();
    long from = ledger.progress(SOURCE).map(SourceProgress::nextOffset).orElse(0L);
    long rows = files.rows().stream().mapToLong(file -> file.recordCount()).sum();
    List<SourceRange> ranges =
        List.of(new SourceRange(SOURCE, TOPIC_ID, from, from + Math.max(1, rows)));
    BatchId batch = ledger.nextBatch(ranges);
    CommitOutcome outcome = target.commit(batch, ledger.advance(batch, ranges), files);
    if (!(outcome instanceof CommitOutcome.Committed)) {
      throw new BenchException("a batch could not be committed: " + outcome);
    }
  }
}
