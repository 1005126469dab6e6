package io.onceberg.it.bench;

import io.onceberg.it.stack.StackException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
  @Spec private @Nullable CommandSpec spec;

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

  @Option(names = "--json", paramLabel = "FILE", description = "Write the figures as JSON as well.")
  private @Nullable Path json;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Keep logs, settings and tables in this empty directory.")
  private @Nullable Path keep;

  @Override
  public Integer call() throws IOException {
    CommandSpec command = spec;
    if (command == null) {
      throw new IllegalStateException("not started by the command line");
    }
    PrintWriter out = command.commandLine().getOut();
    IngestBench.Plan plan = plan(command);
    try {
      BenchReport report = new IngestBench(plan, out).run();
      report.print(out);
      out.flush();
      if (json != null) {
        Files.writeString(json, ReportJson.of(report));
      }
      return 0;
    } catch (BenchException | StackException e) {
      command.commandLine().getErr().println("onceberg: " + e.getMessage());
      return 1;
    }
  }

  private IngestBench.Plan plan(CommandSpec command) {
    try {
      return new IngestBench.Plan(
          events,
          formats.stream().map(EventFormat::of).toList(),
          seed,
          withoutSink ? null : sinkPom,
          !withoutOurs,
          !withoutSmall,
          profile,
          keep);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), e.getMessage(), e);
    }
  }
}
