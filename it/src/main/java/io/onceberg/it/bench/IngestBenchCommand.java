package io.onceberg.it.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code onceberg bench ingest}. */
@Command(
    name = "ingest",
    description = {
      "Measures, in one run on one broker: events per second from Kafka to committed rows with and"
          + " without deduplication, the Iceberg sink for Kafka Connect on the same topics, the"
          + " fixed cost of a small batch, and memory.",
      "Takes about ten minutes at the default size; nothing else should run meanwhile."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class IngestBenchCommand implements Callable<Integer> {
  @Option(
      names = "--events",
      paramLabel = "N",
      defaultValue = "2000000",
      description = "Change events per topic (default: ${DEFAULT-VALUE}).")
  private long events;

  @Option(
      names = "--formats",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "json,json-schema,avro",
      description = "Which of json, json-schema, avro (default: ${DEFAULT-VALUE}).")
  private List<String> formats = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the events (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--no-sink",
      description = "Leave out the Iceberg sink, which Maven downloads at first use (150 MB).")
  private boolean withoutSink;

  @Option(names = "--no-ours", description = "Leave out our daemon: only load and sink.")
  private boolean withoutOurs;

  @Option(
      names = "--no-small",
      description = "Leave out the small batches: fixed cost and memory over 200 batches.")
  private boolean withoutSmall;

  @Option(
      names = "--sink-pom",
      paramLabel = "FILE",
      defaultValue = "it/peers/iceberg-sink/pom.xml",
      description = "Where the sink's class path comes from (default: ${DEFAULT-VALUE}).")
  private Path sinkPom = Path.of("");

  @Option(
      names = "--profile",
      description = "Record the daemon with Java Flight Recorder and print where its time goes.")
  private boolean profile;

  @Mixin private BenchRun run = new BenchRun();

  @Override
  public Integer call() throws IOException {
    return run.of(this::plan, (plan, progress) -> new IngestBench(plan, progress).run());
  }

  private IngestBench.Plan plan() {
    return new IngestBench.Plan(
        events,
        formats.stream().map(EventFormat::of).toList(),
        seed,
        withoutSink ? null : sinkPom,
        !withoutOurs,
        !withoutSmall,
        profile,
        run.keep());
  }
}
