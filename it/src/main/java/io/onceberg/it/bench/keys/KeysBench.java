package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.Machine;
import io.onceberg.it.bench.Progress;
import io.onceberg.it.bench.Scratch;
import io.onceberg.it.stack.LocalKafka;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** One run of the keys benchmark: one target, every measure on the same files. */
final class KeysBench {
  /** Different batches of one share of duplicates, taken in turn. */
  private static final int BATCHES = 4;

  private static final List<Duplicates> OTHERS_WARM_UP = List.of(Duplicates.FEW, Duplicates.HALF);
  private static final int BROKER_HEAP_MEGABYTES = 1024;

  private final KeysPlan plan;
  private final Progress progress;

  KeysBench(KeysPlan plan, Progress progress) {
    this.plan = plan;
    this.progress = progress;
  }

  KeysReport run() {
    Machine machine = Machine.here();
    Scratch scratch = Scratch.in(plan.keep());
    try (scratch) {
      Peers peers = Peers.make(plan, scratch.root(), progress);
      return run(machine, scratch.root(), peers);
    }
  }

  private KeysReport run(Machine machine, Path root, Peers peers) {
    try (LocalKafka kafka = broker(root);
        Ingest ingest =
            new Ingest(directory(root.resolve("warehouse")), kafka.bootstrapServers())) {
      return new Measuring(machine, ingest, kafka.bootstrapServers(), root, peers).run();
    }
  }

  private LocalKafka broker(Path root) {
    progress.say("starting broker and Spark");
    return LocalKafka.builder()
        .directory(root.resolve("kafka"))
        .heapMegabytes(BROKER_HEAP_MEGABYTES)
        .start();
  }

  private static Path directory(Path path) {
    try {
      return Files.createDirectories(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What happens once broker and Spark are there. */
  private final class Measuring {
    private final Machine machine;
    private final Ingest ingest;
    private final String bootstrap;
    private final Path root;
    private final EventNumbers numbers = plan.numbers();
    private final Map<Duplicates, BatchTopic> topics = new EnumMap<>(Duplicates.class);
    private final Rounds rounds = new Rounds(progress, BATCHES);
    private final Peers peers;

    Measuring(Machine machine, Ingest ingest, String bootstrap, Path root, Peers peers) {
      this.machine = machine;
      this.ingest = ingest;
      this.bootstrap = bootstrap;
      this.root = root;
      this.peers = peers;
    }

    KeysReport run() {
      new TargetBuild(ingest.context(), progress)
          .build(
              ingest.target(),
              ingest.catalog().keys(ingest.target().settings()),
              ingest.policy(),
              numbers,
              Ingest.TODAY,
              plan.readsTarget());
      produce();
      BatchFiles files =
          BatchFiles.write(
              ingest,
              numbers,
              root.resolve("batches"),
              Math.min(BATCHES, plan.effort().peerRuns()));
      TargetState state = TargetState.of(ingest.warehouse(), ingest.catalogUri());
      EngineContender exact = new EngineContender(ingest, numbers, topics, state, false);
      EngineContender plain = new EngineContender(ingest, numbers, topics, state, true);
      double firstLookup;
      try (LookupContender lookup = new LookupContender(ingest, numbers)) {
        progress.say("warming up");
        rounds.run(
            List.of(
                lookup,
                exact,
                plain,
                new StagedContender(ingest, numbers, state, false),
                new StagedContender(ingest, numbers, state, true)),
            plan.effort().runs(),
            List.of(Duplicates.values()));
        firstLookup = lookup.firstMillis();
      }
      progress.say(
          "%d batches of new rows in a row, with and without keys", plan.effort().series());
      Series series = Series.run(exact, plain, plan.effort().series());
      progress.say("batches of %d rows", SmallBatches.ROWS);
      List<Double> small = SmallBatches.run(ingest, plan.effort().small());
      exact.putBack();
      others(files, state);
      progress.say("bytes per key");
      KeySurvey.Found found = new KeySurvey(ingest, numbers, progress).run();
      return new KeysReport(
          machine,
          plan,
          bytesPerValue(),
          rounds.timings(),
          peers.failures(),
          firstLookup,
          series,
          small,
          found);
    }

    private void produce() {
      int all =
          Math.max(BATCHES, plan.effort().series()) + (Duplicates.values().length - 1) * BATCHES;
      Progress.Step step =
          progress.new Step("records written to Kafka", (long) all * numbers.batchRows());
      for (Duplicates duplicates : Duplicates.values()) {
        BatchTopic topic =
            BatchTopic.create(
                bootstrap,
                "bench.batch.d%d.events".formatted(duplicates.percent()),
                numbers.batchRows());
        int batches =
            duplicates == Duplicates.NONE ? Math.max(BATCHES, plan.effort().series()) : BATCHES;
        topic.produce(
            IntStream.range(0, batches).mapToObj(i -> numbers.batch(duplicates, i)).toList());
        topics.put(duplicates, topic);
      }
      BatchTopic.create(bootstrap, SmallBatches.TOPIC, SmallBatches.ROWS)
          .produce(SmallBatches.numbers(numbers, plan.effort().small()));
      step.done();
    }

    private long bytesPerValue() {
      BatchTopic topic = topics.get(Duplicates.NONE);
      return topic == null ? 0 : topic.bytesPerValue();
    }

    private void others(BatchFiles files, TargetState state) {
      List<Contender> joins = new ArrayList<>();
      if (plan.has(Measure.LEFT_ANTI_KEYS)) {
        joins.add(JoinContender.withKeys(ingest, numbers));
      }
      if (plan.has(Measure.LEFT_ANTI_TARGET)) {
        joins.add(JoinContender.withTarget(ingest, numbers));
      }
      if (plan.has(Measure.MERGE_TARGET)) {
        joins.add(new MergeContender(ingest, numbers, files, state));
      }
      rounds.run(joins, plan.effort().peerRuns(), OTHERS_WARM_UP);
      peers.measure(
          rounds, plan.effort().peerRuns(), OTHERS_WARM_UP, numbers, ingest.rowFiles(), files);
    }
  }
}
