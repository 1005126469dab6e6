package io.onceberg.it.stack;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.utils.Time;

/**
 * The main class of the broker's process: formats the storage where that was not done before, then
 * runs broker and controller in one until it is told to end.
 */
final class KafkaNode {
  /** Printed when the broker takes requests. */
  static final String READY = "onceberg: broker is ready";

  private static final String CLUSTER_ID = "b25jZWJlcmctbG9jYWwtMQ";

  private KafkaNode() {}

  /**
   * Takes one argument, the file with the broker's properties.
   *
   * @throws IOException when that cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0]);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    String[] format = {
      "format", "--cluster-id", CLUSTER_ID, "--config", file.toString(), "--ignore-formatted"
    };
    if (StorageTool.execute(format, out) != 0) {
      System.exit(1);
    }
    Properties properties = new Properties();
    try (var in = Files.newInputStream(file)) {
      properties.load(in);
    }
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties), Time.SYSTEM);
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "stop-broker"));
    server.startup();
    out.println(READY);
    server.awaitShutdown();
  }
}
