package io.onceberg.it.bench;

import io.onceberg.it.bench.DaemonLog.Batch;
import io.onceberg.it.bench.LoadProducer.Trickle;
import io.onceberg.it.bench.MemoryCourse.Look;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is measured of our daemon: each time a new JVM and an empty warehouse. */
final class DaemonBench {
  private static final int WARM_UP_EVENTS = 200_000;
  private static final int WARM_UP_BATCHES = 30;
  private static final int MEASURED_BATCHES = 60;
  private static final int LOOK_EVERY = 50;
  private static final int MEDIAN_OVER = 10;

  private final Path scratch;
  private final String bootstrap;
  private final String registryUrl;

  DaemonBench(Path scratch, String bootstrap, String registryUrl) {
    this.scratch = scratch;
    this.bootstrap = bootstrap;
    this.registryUrl = registryUrl;
  }

  /** Reads a topic from its beginning to its end and checks that every event became a row. */
  DaemonRun read(String name, String topic, EventFormat format, long events, boolean plainAppend) {
    return read(launch(name, topic, format, Map.of(), plainAppend, false), events);
  }

  /** The same under Java Flight Recorder, which costs some speed. */
  Profile profile(String name, String topic, EventFormat format, long events) {
    Daemon.Launch launch = launch(name, topic, format, Map.of(), false, true);
    read(launch, events);
    return Profile.of(launch.recording());
  }

  private static DaemonRun read(Daemon.Launch launch, long events) {
    try (Daemon daemon = Daemon.start(launch)) {
      daemon.awaitRead(events);
      ProcessFigures figures = daemon.figures();
      long heap = daemon.heapAfterCollectionMegabytes();
      daemon.stop();
      CommitLog commits = daemon.commits();
      if (commits.rows() != events) {
        throw new BenchException(
            "%d events gave %d rows; see %s".formatted(events, commits.rows(), launch.home()));
      }
      DaemonLog log = daemon.log();
      return new DaemonRun(
          commits,
          log.firstPlanMillis(),
          log.batches(),
          figures,
          daemon.cpuMicrosPerRow(),
          heap,
          log.complaints().size());
    }
  }

  /** See {@link SmallBatches}. */
  SmallBatches smallBatches(LoadProducer producer, String topic, EventFormat format) {
    producer.createTopic();
    producer.produce(0, WARM_UP_EVENTS);
    Map<String, String> settings = Map.of("batch.max.wait.ms", "0");
    List<Long> batchMillis = new ArrayList<>();
    List<Long> wallMillis = new ArrayList<>();
    Daemon.Launch launch = launch("daemon-small", topic, format, settings, false, false);
    try (Daemon daemon = Daemon.start(launch);
        Trickle trickle = producer.trickle(WARM_UP_EVENTS)) {
      daemon.awaitRead(WARM_UP_EVENTS);
      for (int i = 0; i < WARM_UP_BATCHES + MEASURED_BATCHES; i++) {
        int before = daemon.log().batches().size();
        trickle.write(SmallBatches.ROWS);
        long written = BenchClock.millis();
        daemon.awaitRead(WARM_UP_EVENTS + (i + 1L) * SmallBatches.ROWS);
        List<Batch> batches = daemon.log().batches();
        Batch last = batches.get(batches.size() - 1);
        boolean inOneBatch = batches.size() == before + 1;
        if (i >= WARM_UP_BATCHES && inOneBatch) {
          batchMillis.add(last.millis());
          wallMillis.add(last.atMillis() - written);
        }
      }
    }
    return new SmallBatches(batchMillis, wallMillis);
  }

  /** See {@link MemoryCourse}; the topic is read in two hundred batches. */
  MemoryCourse memory(String topic, EventFormat format, long events) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("batch.max.rows", Long.toString(Math.max(1, events / MemoryCourse.BATCHES)));
    List<Look> looks = new ArrayList<>();
    Daemon.Launch launch = launch("daemon-memory", topic, format, settings, false, false);
    try (Daemon daemon = Daemon.start(launch)) {
      for (int at = MemoryCourse.FIRST_LOOK; at <= MemoryCourse.BATCHES; at += LOOK_EVERY) {
        daemon.awaitBatches(at, events);
        looks.add(look(daemon));
      }
    }
    return new MemoryCourse(looks);
  }

  private static Look look(Daemon daemon) {
    List<Batch> batches = daemon.log().batches();
    List<Long> last =
        batches.subList(Math.max(0, batches.size() - MEDIAN_OVER), batches.size()).stream()
            .map(Batch::millis)
            .toList();
    long heap = daemon.heapAfterCollectionMegabytes();
    return new Look(
        batches.size(), heap, daemon.figures().rssMegabytes(), SmallBatches.quantile(last, 0.5));
  }

  private Daemon.Launch launch(
      String name,
      String topic,
      EventFormat format,
      Map<String, String> settings,
      boolean plainAppend,
      boolean profile) {
    return new Daemon.Launch(
        scratch.resolve(name),
        bootstrap,
        topic,
        format,
        registryUrl,
        settings,
        plainAppend,
        profile);
  }
}
