package io.onceberg.it.bench;

import io.onceberg.it.bench.LoadProducer.Produced;
import io.onceberg.it.stack.LocalKafka;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One run of the ingest benchmark: one broker, one topic for each format, every side over it. */
final class IngestBench {
  /**
   * What is to be measured.
   *
   * @param sinkPom where the sink's class path comes from; null leaves the sink out
   */
  record Plan(
      long events,
      List<EventFormat> formats,
      long seed,
      @Nullable Path sinkPom,
      boolean ours,
      boolean smallBatches,
      boolean profile,
      @Nullable Path keep) {
    Plan {
      formats = List.copyOf(formats);
      if (events < 1) {
        throw new IllegalArgumentException("--events must be at least 1, not " + events);
      }
      if (formats.isEmpty()) {
        throw new IllegalArgumentException("--formats names none");
      }
    }
  }

  private static final int BROKER_HEAP_MEGABYTES = 1024;

  private final Plan plan;
  private final Progress progress;

  IngestBench(Plan plan, Progress progress) {
    this.plan = plan;
    this.progress = progress;
  }

  BenchReport run() {
    Machine machine = Machine.here();
    Scratch scratch = Scratch.in(plan.keep());
    try (scratch;
        BenchRegistry registry = new BenchRegistry()) {
      String sinkClassPath = sinkClassPath(scratch.root());
      progress.say("starting the broker");
      try (LocalKafka kafka =
          LocalKafka.builder()
              .directory(scratch.root().resolve("kafka"))
              .heapMegabytes(BROKER_HEAP_MEGABYTES)
              .start()) {
        DaemonBench daemon =
            new DaemonBench(scratch.root(), kafka.bootstrapServers(), registry.url());
        List<FormatFigures> figures = new ArrayList<>();
        for (EventFormat format : plan.formats()) {
          figures.add(measure(format, kafka, daemon, sinkClassPath, scratch.root()));
        }
        return new BenchReport(machine, plan, figures, smallBatches(kafka, daemon), memory(daemon));
      }
    }
  }

  private @Nullable String sinkClassPath(Path scratch) {
    Path pom = plan.sinkPom();
    if (pom == null) {
      return null;
    }
    progress.say("asking Maven for the Iceberg sink's class path");
    return IcebergSink.classPath(pom, scratch);
  }

  private FormatFigures measure(
      EventFormat format,
      LocalKafka kafka,
      DaemonBench daemon,
      @Nullable String sinkClassPath,
      Path scratch) {
    String topic = topic(format);
    LoadProducer producer = producer(kafka, topic, format);
    producer.createTopic();
    progress.say("%s: producing %,d events", format.label(), plan.events());
    Produced produced = producer.produce(0, plan.events());
    progress.say(
        "%s: %,d bytes per event, produced in %.1f s",
        format.label(), produced.bytesPerEvent(), produced.time().toMillis() / 1000.0);
    IcebergSink.Run sink = sink(format, kafka, sinkClassPath, scratch, topic);
    if (!plan.ours()) {
      return new FormatFigures(format, produced, sink, null, null, null);
    }
    DaemonRun plain = ours(daemon, format, true);
    DaemonRun exact = ours(daemon, format, false);
    return new FormatFigures(format, produced, sink, exact, plain, profile(daemon, format));
  }

  private DaemonRun ours(DaemonBench daemon, EventFormat format, boolean plainAppend) {
    String side = plainAppend ? "plain append" : "exactly once";
    progress.say("%s: the daemon, %s", format.label(), side);
    String name = "daemon-" + format.label() + (plainAppend ? "-plain" : "");
    DaemonRun run = daemon.read(name, topic(format), format, plan.events(), plainAppend);
    progress.say(
        "%s: the daemon, %s: %,.0f events/s steady, %,.0f to the last row",
        format.label(), side, run.steady(), run.toLastRow());
    return run;
  }

  private @Nullable Profile profile(DaemonBench daemon, EventFormat format) {
    if (!plan.profile()) {
      return null;
    }
    progress.say("%s: the daemon under Java Flight Recorder", format.label());
    String name = "daemon-" + format.label() + "-profile";
    return daemon.profile(name, topic(format), format, plan.events());
  }

  private @Nullable SmallBatches smallBatches(LocalKafka kafka, DaemonBench daemon) {
    if (!plan.ours() || !plan.smallBatches()) {
      return null;
    }
    progress.say("batches of %d rows", SmallBatches.ROWS);
    String topic = "bench.small.orders";
    EventFormat format = plan.formats().get(0);
    return daemon.smallBatches(producer(kafka, topic, format), topic, format);
  }

  private @Nullable MemoryCourse memory(DaemonBench daemon) {
    if (!plan.ours() || !plan.smallBatches()) {
      return null;
    }
    progress.say("memory over %d batches", MemoryCourse.BATCHES);
    EventFormat format = plan.formats().get(0);
    return daemon.memory(topic(format), format, plan.events());
  }

  private LoadProducer producer(LocalKafka kafka, String topic, EventFormat format) {
    return new LoadProducer(kafka.bootstrapServers(), topic, plan.seed(), encoders(format));
  }

  private static String topic(EventFormat format) {
    return "bench." + format.label() + ".orders";
  }

  private IcebergSink.@Nullable Run sink(
      EventFormat format,
      LocalKafka kafka,
      @Nullable String classPath,
      Path scratch,
      String topic) {
    if (classPath == null || format == EventFormat.AVRO) {
      return null; // its Avro converter cannot be had here
    }
    progress.say("%s: Iceberg sink", format.label());
    Path home = scratch.resolve("sink-" + format.label());
    IcebergSink.Run run =
        new IcebergSink(classPath, home, kafka.bootstrapServers())
            .run(topic, format, plan.events());
    progress.say(
        "%s: Iceberg sink: %,.0f rows/s steady, %,.0f to the last row",
        format.label(), run.steady(), run.toLastRow());
    return run;
  }

  static Supplier<EventEncoder> encoders(EventFormat format) {
    return switch (format) {
      case JSON -> () -> new JsonEventEncoder(false);
      case JSON_SCHEMA -> () -> new JsonEventEncoder(true);
      case AVRO -> () -> new AvroEventEncoder(BenchRegistry.KEY_ID, BenchRegistry.VALUE_ID);
    };
  }
}
