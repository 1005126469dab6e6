package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.BenchException;
import io.onceberg.it.bench.Progress;
import io.onceberg.keystore.KeyIndexes;
import io.onceberg.keystore.StagedFiles;
import io.onceberg.keystore.Target;
import io.onceberg.keystore.TaskTarget;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Measures what keys of each kind take on disk and in memory. */
final class KeySurvey {
  /** More keys of the kinds without rows would tell nothing more. */
  private static final long MOST_KEYS = 10_000_000;

  private final Ingest ingest;
  private final EventNumbers numbers;
  private final Progress progress;

  KeySurvey(Ingest ingest, EventNumbers numbers, Progress progress) {
    this.ingest = ingest;
    this.numbers = numbers;
    this.progress = progress;
  }

  /** What was found; positions only of the changelog. */
  record Found(List<KeyFigures> figures, Positions positions) {
    Found {
      figures = List.copyOf(figures);
    }
  }

  Found run() {
    List<KeyFigures> figures = new ArrayList<>();
    Event event = new Event();
    figures.add(
        figures(
            "text",
            "36 random characters",
            ingest.target(),
            numbers.keys(),
            number -> event.at(number).identity()));
    Target uuids = target(KeyKind.UUID);
    store(uuids, KeyKind.UUID, 0, EventNumbers.DAYS);
    figures.add(figures(KeyKind.UUID, uuids));
    Target changes = target(KeyKind.CHANGELOG);
    int half = EventNumbers.DAYS / 2;
    store(changes, KeyKind.CHANGELOG, 0, half);
    long[] atHalf = positions(changes, half * keysOfDay());
    store(changes, KeyKind.CHANGELOG, half, EventNumbers.DAYS);
    long[] atAll = positions(changes, EventNumbers.DAYS * keysOfDay());
    figures.add(figures(KeyKind.CHANGELOG, changes));
    return new Found(figures, new Positions(atHalf[0], atAll[0], atHalf[1], atAll[1]));
  }

  private long keysOfDay() {
    return Math.min(MOST_KEYS, numbers.keys()) / EventNumbers.DAYS;
  }

  private Target target(KeyKind kind) {
    Target target = ingest.catalog().target(kind.settings());
    target.evolve(List.of(kind.schema()));
    return target;
  }

  private void store(Target target, KeyKind kind, int firstDay, int untilDay) {
    List<BuildTask.Part> parts = new ArrayList<>();
    for (int day = firstDay; day < untilDay; day++) {
      parts.add(
          new BuildTask.Part(
              Ingest.TODAY - EventNumbers.DAYS + 1 + day,
              day * keysOfDay(),
              (day + 1) * keysOfDay()));
    }
    Progress.Step step = progress.new Step(kind.label() + " keys written", rows(parts));
    List<byte[]> written =
        ingest
            .context()
            .parallelize(TargetBuild.places(parts), parts.size())
            .mapPartitions(new KeysTask(target.pin(), kind, parts))
            .collect();
    StagedFiles files = Parts.all(written);
    TargetBuild.commit(target, files);
    step.done();
  }

  private static long rows(List<BuildTask.Part> parts) {
    return parts.stream().mapToLong(BuildTask.Part::length).sum();
  }

  private KeyFigures figures(KeyKind kind, Target target) {
    return figures(
        kind.label(), kind.title(), target, EventNumbers.DAYS * keysOfDay(), kind::identity);
  }

  /** Looks up keys of every file, so that all indexes are in memory. */
  private KeyFigures figures(
      String label, String title, Target target, long keys, LongFunction<UnsafeRow> identity) {
    KeySizes sizes = KeySizes.of(ingest.spark(), target.settings().name() + "_keys");
    if (sizes.keys() != keys) {
      throw new BenchException(
          "the keys table of %s holds %,d keys instead of %,d"
              .formatted(target.settings().name(), sizes.keys(), keys));
    }
    TaskTarget pinned = target.pin();
    int asked = (int) Math.min(1_000, keys);
    List<UnsafeRow> identities = new ArrayList<>(asked);
    for (int i = 0; i < asked; i++) {
      identities.add(identity.apply(i * (keys / asked)));
    }
    expect(asked, pinned, identities);
    KeyIndexes.forgetAll();
    long before = usedHeap();
    expect(asked, pinned, identities);
    return new KeyFigures(
        label, title, sizes, KeyIndexes.files(), KeyIndexes.bytes(), usedHeap() - before);
  }

  /** What stays in memory after a fresh batch, and after the newest changes came again. */
  private long[] positions(Target target, long stored) {
    int batch = (int) Math.min(numbers.batchRows(), keysOfDay());
    TaskTarget pinned = target.pin();
    KeyIndexes.forgetAll();
    expect(0, pinned, changes(stored, batch));
    long fresh = KeyIndexes.bytes();
    expect(batch, pinned, changes(stored - batch, batch));
    return new long[] {fresh, KeyIndexes.bytes()};
  }

  private static void expect(int hits, TaskTarget target, List<UnsafeRow> identities) {
    int found = target.lookup().find(identities).stored().cardinality();
    if (found != hits) {
      throw new BenchException("found %,d keys instead of %,d".formatted(found, hits));
    }
  }

  private static List<UnsafeRow> changes(long from, int count) {
    List<UnsafeRow> changes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      changes.add(KeyKind.CHANGELOG.identity(from + i));
    }
    return changes;
  }

  private static long usedHeap() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      memory.gc();
      least = Math.min(least, memory.getHeapMemoryUsage().getUsed());
    }
    return least;
  }
}
