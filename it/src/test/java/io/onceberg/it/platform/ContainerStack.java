package io.onceberg.it.platform;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.PortBinding;
import io.onceberg.it.stack.Deadline;
import io.onceberg.it.stack.Ports;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.lifecycle.Startables;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/**
 * The platform as containers in a network of their own. What this program needs of them is
 * published on loopback, on ports that stay the same when a container is started again.
 */
final class ContainerStack implements Stack {
  private static final String PASSWORD = "onceberg";
  private static final int KAFKA_OUTSIDE = 19092;
  private static final Duration END = Duration.ofSeconds(20);
  private static final Map<Service, Integer> INSIDE =
      new EnumMap<>(
          Map.of(
              Service.POSTGRES, 5432,
              Service.KAFKA, 9092,
              Service.OBJECT_STORE, 8080,
              Service.CATALOG, 8181,
              Service.CONNECT, 8083));
  private static final String SHORT_LIVED = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  private final Network network = Network.newNetwork();
  private final ImageFromDockerfile daemonImage;
  private final Path peers;
  private final Map<Service, Integer> outside = new EnumMap<>(Service.class);
  private final Map<Service, GenericContainer<?>> services = new EnumMap<>(Service.class);
  private final List<RunningDaemon> daemons = new ArrayList<>();

  private ContainerStack(Path root) {
    peers = root.resolve("it/peers");
    daemonImage = Images.daemon(root.resolve("docker/daemon"));
    for (Service service : Service.values()) {
      outside.put(service, Ports.free());
    }
    services.put(Service.POSTGRES, postgres());
    services.put(Service.KAFKA, kafka());
    services.put(Service.OBJECT_STORE, objectStore());
    services.put(Service.CATALOG, catalog(root.resolve("it/target/classes")));
    services.put(Service.CONNECT, connect());
  }

  /**
   * Starts everything and waits until all of it answers.
   *
   * @param root the built source tree
   */
  static ContainerStack start(Path root) {
    ContainerStack stack = new ContainerStack(root.toAbsolutePath().normalize());
    Startables.deepStart(stack.services.values()).join();
    stack.services.keySet().forEach(stack::awaitReady);
    return stack;
  }

  // ---- The services

  private GenericContainer<?> postgres() {
    return published(Service.POSTGRES, Images.postgres(), port(Service.POSTGRES))
        .withEnv("POSTGRES_PASSWORD", PASSWORD)
        .withCommand(
            "postgres -c wal_level=logical -c fsync=off -c max_connections=60"
                + " -c max_replication_slots=20 -c max_wal_senders=20");
  }

  private GenericContainer<?> kafka() {
    String inside = inside(Service.KAFKA).hostAndPort();
    String outsideAddress = outside(Service.KAFKA).hostAndPort();
    return published(Service.KAFKA, Images.kafka(), KAFKA_OUTSIDE)
        .withEnv("KAFKA_NODE_ID", "1")
        .withEnv("KAFKA_PROCESS_ROLES", "broker,controller")
        .withEnv("KAFKA_CONTROLLER_LISTENER_NAMES", "CONTROLLER")
        .withEnv("KAFKA_CONTROLLER_QUORUM_VOTERS", "1@localhost:9093")
        .withEnv("KAFKA_LISTENERS", "INSIDE://:9092,OUTSIDE://:19092,CONTROLLER://:9093")
        .withEnv(
            "KAFKA_ADVERTISED_LISTENERS",
            "INSIDE://%s,OUTSIDE://%s".formatted(inside, outsideAddress))
        .withEnv(
            "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP",
            "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT")
        .withEnv("KAFKA_INTER_BROKER_LISTENER_NAME", "INSIDE")
        .withEnv("KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR", "1")
        .withEnv("KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS", "4")
        .withEnv("KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR", "1")
        .withEnv("KAFKA_TRANSACTION_STATE_LOG_MIN_ISR", "1")
        .withEnv("KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS", "0")
        .withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false")
        .withEnv("KAFKA_HEAP_OPTS", "-Xmx512m -Xms128m");
  }

  private GenericContainer<?> connect() {
    Address all = new Address("0.0.0.0", port(Service.CONNECT));
    Properties properties =
        PlatformSettings.connect(
            this::inside, all.http("").toString(), alias(Service.CONNECT), "/opt/plugins");
    return published(Service.CONNECT, Images.kafka(), port(Service.CONNECT))
        .withCopyFileToContainer(directory(peers.resolve("connect/target/plugins")), "/opt/plugins")
        .withCopyToContainer(text(properties), "/etc/onceberg/connect.properties")
        .withEnv("KAFKA_HEAP_OPTS", "-Xmx512m " + SHORT_LIVED)
        .withCommand("/opt/kafka/bin/connect-distributed.sh /etc/onceberg/connect.properties");
  }

  private GenericContainer<?> objectStore() {
    Address all = new Address("0.0.0.0", port(Service.OBJECT_STORE));
    Path peer = peers.resolve("object-store");
    return published(Service.OBJECT_STORE, Images.java(), port(Service.OBJECT_STORE))
        .withCopyFileToContainer(directory(peer.resolve("target/lib")), "/opt/s3proxy/lib")
        .withCopyFileToContainer(directory(peer.resolve("src")), "/opt/s3proxy/config")
        .withCopyToContainer(
            text(PlatformSettings.objectStore(all, "/data")), "/etc/onceberg/s3proxy.properties")
        .withCommand(
            "sh",
            "-c",
            ("mkdir -p /data/%s && exec java -Xmx256m %s -cp '/opt/s3proxy/config:/opt/s3proxy/lib/*'"
                    + " org.gaul.s3proxy.Main --properties /etc/onceberg/s3proxy.properties")
                .formatted(PlatformSettings.BUCKET, SHORT_LIVED));
  }

  /** The daemon's image has all that the catalog needs but its own classes. */
  private GenericContainer<?> catalog(Path classes) {
    String own = "io/onceberg/it/catalog";
    String port = String.valueOf(port(Service.CATALOG));
    return published(Service.CATALOG, new GenericContainer<>(daemonImage), port(Service.CATALOG))
        .withCopyFileToContainer(directory(classes.resolve(own)), "/opt/onceberg/catalog/" + own)
        .withCopyToContainer(
            text(PlatformSettings.catalogServer(this::inside, "/var/lib/onceberg/catalog.db")),
            "/etc/onceberg/catalog.properties")
        .withEnv("JDK_JAVA_OPTIONS", javaOptions(256))
        .withCreateContainerCmdModifier(command -> command.withEntrypoint("java"))
        .withCommand(
            "-cp",
            "/opt/onceberg/catalog:/opt/onceberg/app/*:/opt/onceberg/lib/*",
            "io.onceberg.it.catalog.RestCatalogServer",
            "0.0.0.0",
            port,
            "/etc/onceberg/catalog.properties");
  }

  @Override
  public RunningDaemon daemon(String name, Map<String, String> settings) {
    Properties properties = new Properties();
    properties.putAll(settings);
    GenericContainer<?> container =
        plain(new GenericContainer<>(daemonImage))
            .withCopyToContainer(text(properties), "/etc/onceberg/onceberg.properties")
            .withEnv("JDK_JAVA_OPTIONS", javaOptions(768));
    container.start();
    RunningDaemon daemon = new ContainerDaemon(container);
    daemons.add(daemon);
    return daemon;
  }

  private static String javaOptions(int megabytes) {
    StringBuilder options = new StringBuilder(SHORT_LIVED + " -Xmx" + megabytes + "m");
    PlatformSettings.S3_CLIENT.forEach(
        (name, value) -> options.append(" -D").append(name).append('=').append(value));
    return options.toString();
  }

  // ---- Containers

  private GenericContainer<?> published(Service service, DockerImageName image, int port) {
    return published(service, new GenericContainer<>(image), port);
  }

  private GenericContainer<?> published(Service service, GenericContainer<?> container, int port) {
    PortBinding binding = PortBinding.parse(outside(service).hostAndPort() + ":" + port);
    return plain(container)
        .withNetworkAliases(alias(service))
        .withExposedPorts(port)
        .withCreateContainerCmdModifier(command -> publish(command, binding));
  }

  private static void publish(CreateContainerCmd command, PortBinding binding) {
    Objects.requireNonNull(command.getHostConfig()).withPortBindings(binding);
  }

  private GenericContainer<?> plain(GenericContainer<?> container) {
    return container
        .withNetwork(network)
        .waitingFor(
            new AbstractWaitStrategy() {
              @Override
              protected void waitUntilReady() {
                // asked for later, of all containers side by side
              }
            });
  }

  private static MountableFile directory(Path path) {
    return MountableFile.forHostPath(path, 0755);
  }

  private static Transferable text(Properties properties) {
    StringWriter text = new StringWriter();
    try {
      properties.store(text, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Transferable.of(text.toString(), 0644);
  }

  private static String alias(Service service) {
    return service.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static int port(Service service) {
    return Objects.requireNonNull(INSIDE.get(service));
  }

  private GenericContainer<?> container(Service service) {
    return Objects.requireNonNull(services.get(service));
  }

  /** Whether a container runs now. */
  static boolean runs(GenericContainer<?> container) {
    return Boolean.TRUE.equals(
        DockerClientFactory.lazyClient()
            .inspectContainerCmd(container.getContainerId())
            .exec()
            .getState()
            .getRunning());
  }

  /** Sends SIGKILL to a container and waits until it is gone. */
  static void kill(GenericContainer<?> container) {
    if (runs(container)) {
      DockerClientFactory.lazyClient().killContainerCmd(container.getContainerId()).exec();
      if (!Deadline.in(END).await(() -> !runs(container))) {
        throw new PlatformException("container does not end: " + container.getContainerId());
      }
    }
  }

  // ---- The stack

  @Override
  public Address outside(Service service) {
    return new Address(Ports.LOOPBACK, Objects.requireNonNull(outside.get(service)));
  }

  @Override
  public Address inside(Service service) {
    return new Address(alias(service), port(service));
  }

  @Override
  public String password() {
    return PASSWORD;
  }

  @Override
  public void kill(Service service) {
    kill(container(service));
  }

  @Override
  public void restart(Service service) {
    DockerClientFactory.lazyClient().startContainerCmd(container(service).getContainerId()).exec();
    awaitReady(service);
  }

  private void awaitReady(Service service) {
    Readiness.await(this, service, () -> runs(container(service)));
  }

  @Override
  public String tail(Service service) {
    String logs = container(service).getLogs();
    return logs.substring(Math.max(0, logs.length() - 8_192));
  }

  @Override
  public void close() {
    daemons.forEach(RunningDaemon::close);
    services.values().forEach(GenericContainer::stop);
    network.close();
  }
}
