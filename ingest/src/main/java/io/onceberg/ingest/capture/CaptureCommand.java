package io.onceberg.ingest.capture;

import io.onceberg.ingest.config.CaptureConfig;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code onceberg capture}: database to Kafka, for those who run no Kafka Connect. */
@Command(
    name = "capture",
    mixinStandardHelpOptions = true,
    description = {
      "Reads a database's change log with Debezium and writes the events to Kafka.",
      "Needs no Kafka Connect; topics written by Kafka Connect work the same."
    })
public final class CaptureCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "settings: kafka.*, capture.*, debezium.*, key.converter*, value.converter*")
  private Path config = Path.of("");

  @Override
  public Integer call() throws InterruptedException {
    Capture capture = new Capture(CaptureConfig.load(config));
    Thread stop = new Thread(capture::stop, "stop-capture");
    Runtime.getRuntime().addShutdownHook(stop);
    capture.run();
    return 0;
  }
}
