package io.onceberg.it.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka broker (KRaft, one node, replication 1) as a child process on free ports of loopback.
 * Topics, data and port survive {@link #kill} and {@link #restart}.
 */
public final class LocalKafka implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(90);
  private static final String LOGGING = "io/onceberg/it/stack/kafka-log4j2.properties";

  private final Path directory;
  private final boolean temporary;
  private final int heapMegabytes;
  private final int port = Ports.free();
  private @Nullable OwnedProcess broker;

  private LocalKafka(Path directory, boolean temporary, int heapMegabytes) {
    this.directory = directory;
    this.temporary = temporary;
    this.heapMegabytes = heapMegabytes;
  }

  /** Starts a broker on data that are deleted when it is closed; topics are made by hand. */
  public static LocalKafka start() {
    return builder().start();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** What can be chosen about a broker. */
  public static final class Builder {
    private @Nullable Path directory;
    private int heapMegabytes = 512;
    private final Properties overrides = new Properties();
    private final List<Listener> listeners = new ArrayList<>();

    private Builder() {}

    /** Keeps data and log here; a directory that a broker used before is used on. */
    public Builder directory(Path chosen) {
      directory = chosen.toAbsolutePath();
      return this;
    }

    /** The broker's maximal heap; 512 MB by default. */
    public Builder heapMegabytes(int megabytes) {
      heapMegabytes = megabytes;
      return this;
    }

    /** Whether a topic comes to be when it is first written to or read; off by default. */
    public Builder autoCreateTopics(boolean on) {
      return set("auto.create.topics.enable", Boolean.toString(on));
    }

    /** A broker setting under Kafka's own name, such as {@code log.retention.ms}. */
    public Builder set(String key, String value) {
      overrides.setProperty(key, value);
      return this;
    }

    /**
     * A further listener, for clients that reach the broker at another port than it listens on.
     *
     * @param name in upper case
     * @param advertised the port of loopback that these clients are sent to
     */
    public Builder listener(String name, int port, int advertised) {
      listeners.add(new Listener(name, port, advertised));
      return this;
    }

    /** Starts the broker and waits until it takes requests, some 4 s on two quiet cores. */
    public LocalKafka start() {
      boolean temporary = directory == null;
      Path home = directory == null ? Owned.temporaryDirectory("kafka") : directory;
      LocalKafka made = new LocalKafka(home, temporary, heapMegabytes);
      try {
        made.writeSettings(listeners, overrides);
        made.restart();
        return made;
      } catch (StackException e) {
        made.close();
        throw e;
      }
    }
  }

  /** Host and port for {@code bootstrap.servers}. */
  public String bootstrapServers() {
    return Ports.LOOPBACK + ":" + port;
  }

  /** A new admin client, which the caller closes. */
  public Admin admin() {
    return Admin.create(
        Map.<String, Object>of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()));
  }

  public Path log() {
    return directory.resolve("kafka.log");
  }

  /** Ends the broker without warning, as a crash would; {@link #restart} brings it back. */
  public void kill() {
    if (broker != null) {
      broker.kill();
      broker = null;
    }
  }

  /** The broker's process, while it has one. */
  public Optional<OwnedProcess> process() {
    return Optional.ofNullable(broker);
  }

  /** Ends the broker in good order. */
  public void stop() {
    if (broker != null) {
      broker.close();
      broker = null;
    }
  }

  /** Starts the broker again on the same port and data; it is stopped before when it runs. */
  public void restart() {
    stop();
    List<String> options = new ArrayList<>();
    options.add("-Xmx" + heapMegabytes + "m");
    options.add("-XX:+UseSerialGC");
    options.add("-XX:+ExitOnOutOfMemoryError");
    options.add("-Dlog4j2.configurationFile=" + LOGGING);
    OwnedProcess started =
        ChildJvm.start(
            "Kafka", KafkaNode.class.getName(), options, List.of(settings().toString()), log());
    broker = started;
    started.awaitOutput(KafkaNode.READY, START);
  }

  @Override
  public void close() {
    if (temporary) {
      kill();
      Owned.deleteTree(directory);
    } else {
      stop();
    }
  }

  private Path settings() {
    return directory.resolve("server.properties");
  }

  private record Listener(String name, int port, int advertised) {
    String at(int where) {
      return ",%s://%s:%d".formatted(name, Ports.LOOPBACK, where);
    }
  }

  private void writeSettings(List<Listener> further, Properties overrides) {
    StringBuilder listeners = new StringBuilder("PLAINTEXT://" + bootstrapServers());
    StringBuilder advertised = new StringBuilder(listeners);
    StringBuilder protocols = new StringBuilder("PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    for (Listener listener : further) {
      listeners.append(listener.at(listener.port()));
      advertised.append(listener.at(listener.advertised()));
      protocols.append(",%s:PLAINTEXT".formatted(listener.name()));
    }
    String controller = Ports.LOOPBACK + ":" + Ports.free();
    Properties properties = new Properties();
    properties.putAll(
        Map.of(
            "process.roles",
            "broker,controller",
            "node.id",
            "1",
            "controller.quorum.voters",
            "1@" + controller,
            "controller.listener.names",
            "CONTROLLER",
            "listeners",
            listeners + ",CONTROLLER://" + controller,
            "advertised.listeners",
            advertised.toString(),
            "listener.security.protocol.map",
            protocols.toString(),
            "inter.broker.listener.name",
            "PLAINTEXT",
            "log.dirs",
            directory.resolve("data").toString()));
    properties.putAll(ONE_NODE);
    properties.putAll(SMALL);
    properties.putAll(overrides);
    try {
      Files.createDirectories(directory);
      try (var out = Files.newOutputStream(settings())) {
        properties.store(out, null);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + settings(), e);
    }
  }

  /** What Kafka assumes three brokers for. */
  private static final Map<String, String> ONE_NODE =
      Map.of(
          "offsets.topic.replication.factor", "1",
          "transaction.state.log.replication.factor", "1",
          "transaction.state.log.min.isr", "1",
          "share.coordinator.state.topic.replication.factor", "1",
          "share.coordinator.state.topic.min.isr", "1",
          "auto.create.topics.enable", "false");

  /** Fewer internal partitions, threads and buffers: a broker that starts fast and stays small. */
  private static final Map<String, String> SMALL =
      Map.of(
          "offsets.topic.num.partitions", "4",
          "transaction.state.log.num.partitions", "4",
          "group.initial.rebalance.delay.ms", "0",
          "num.network.threads", "2",
          "num.io.threads", "4",
          "background.threads", "2",
          "log.cleaner.dedupe.buffer.size", "4194304",
          "log.cleaner.io.buffer.size", "131072");
}
