package io.onceberg.ingest.cli;

import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.loop.IngestLoop;
import io.onceberg.ingest.loop.LoopEnd;
import io.onceberg.ingest.loop.TargetLedgers;
import io.onceberg.ingest.sink.BatchEngine;
import io.onceberg.ingest.sink.PastDays;
import io.onceberg.ingest.sink.Targets;
import io.onceberg.ingest.source.BatchPlanner;
import io.onceberg.ingest.source.KafkaRangeReader;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.Warehouse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code onceberg run}: the daemon. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Reads change events from Kafka into Iceberg tables until it is asked to end.",
      "SIGTERM and Ctrl-C end it within ten seconds, without a half batch."
    },
    footer = {
      "",
      "Example:",
      "  onceberg run --config onceberg.properties",
      "",
      "Settings: docs/configuration.md, or onceberg config docs."
    })
final class RunCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The settings, a properties file.")
  private Path config = Path.of("");

  @Override
  public Integer call() throws IOException {
    LoopEnd end = run(DaemonConfig.load(config));
    OncebergException error = end.worst().orElse(null);
    if (error != null) {
      throw error;
    }
    return 0;
  }

  private static LoopEnd run(DaemonConfig settings) throws IOException {
    try (Targets targets =
            new Targets(
                () -> Warehouse.open(settings.catalog()), name -> settings.target(name).table());
        StartingEngine engine = new StartingEngine(settings, targets);
        PastDays pastDays = new PastDays(engine, settings)) {
      BatchEngine batches = settings.compactsPastDays() ? pastDays : engine;
      return run(settings, targets, batches, engine::cancelJobs);
    } finally {
      KafkaRangeReader.closeIdleConsumers();
    }
  }

  private static LoopEnd run(
      DaemonConfig settings, Targets targets, BatchEngine engine, Runnable cancelJobs) {
    InstantSource clock = InstantSource.system();
    Standing standing = new Standing(targets);
    Stop stop = new Stop(cancelJobs);
    try (BatchPlanner planner =
        new BatchPlanner(settings, standing::ledger, clock, stop::isAsked)) {
      Signals.onTermination(stop::ask);
      return new IngestLoop(settings, planner, engine, standing, clock, stop.asked()).run();
    } finally {
      stop.ended();
    }
  }

  /** Where the open targets stand. */
  private record Standing(Targets targets) implements TargetLedgers {
    @Override
    public void open() {
      targets.warehouse();
    }

    @Override
    public Ledger ledger(TargetName target) {
      return targets.get(target).ledger();
    }

    @Override
    public void reload(TargetName target) {
      targets.get(target).refresh();
    }
  }
}
