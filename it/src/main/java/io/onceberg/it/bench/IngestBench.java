package io.onceberg.it.bench;

import io.onceberg.it.bench.LoadProducer.Produced;
import io.onceberg.it.stack.LocalKafka;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
  private final PrintWriter out;

  IngestBench(Plan plan, PrintWriter out) {
    this.plan = plan;
    this.out = out;
  }

  BenchReport run() {
    Machine machine = Machine.here();
    Scratch scratch = Scratch.in(plan.keep());
    try (scratch) {
      String sinkClassPath = sinkClassPath(scratch.root());
      say("starting the broker");
      try (LocalKafka kafka =
          LocalKafka.builder()
              .directory(scratch.root().resolve("kafka"))
              .heapMegabytes(BROKER_HEAP_MEGABYTES)
              .start()) {
        List<FormatFigures> figures = new ArrayList<>();
        for (EventFormat format : plan.formats()) {
          figures.add(measure(format, kafka, sinkClassPath, scratch.root()));
        }
        return new BenchReport(machine, plan, figures);
      }
    }
  }

  private @Nullable String sinkClassPath(Path scratch) {
    Path pom = plan.sinkPom();
    if (pom == null) {
      return null;
    }
    say("asking Maven for the Iceberg sink's class path");
    return IcebergSink.classPath(pom, scratch);
  }

  private FormatFigures measure(
      EventFormat format, LocalKafka kafka, @Nullable String sinkClassPath, Path scratch) {
    String topic = "bench." + format.label() + ".orders";
    LoadProducer producer =
        new LoadProducer(kafka.bootstrapServers(), topic, plan.seed(), encoders(format));
    producer.createTopic();
    say("%s: producing %,d events", format.label(), plan.events());
    Produced produced = producer.produce(0, plan.events());
    say(
        "%s: %,d bytes per event, produced in %.1f s",
        format.label(), produced.bytesPerEvent(), produced.time().toMillis() / 1000.0);
    IcebergSink.Run sink = sink(format, kafka, sinkClassPath, scratch, topic);
    return new FormatFigures(format, produced, sink);
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
    say("%s: Iceberg sink", format.label());
    Path home = scratch.resolve("sink-" + format.label());
    IcebergSink.Run run =
        new IcebergSink(classPath, home, kafka.bootstrapServers())
            .run(topic, format, plan.events());
    say(
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

  private void say(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
    out.flush();
  }
}
