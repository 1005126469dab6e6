package io.onceberg.it.platform;

import io.onceberg.it.net.FaultProxy;
import io.onceberg.it.stack.ChildJvm;
import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.LocalPostgres;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.Ports;
import io.onceberg.it.stack.Scratch;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** The platform as processes on loopback, from the jars that Maven brings. */
public final class LocalStack implements Stack {
  // short-lived: little heap, and a compiler that starts fast
  private static final List<String> SHORT_LIVED =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError");

  private final Path home;
  private final Path peers;
  private final Map<String, String> connectSettings;
  private final LocalPostgres postgres;
  private final LocalKafka kafka;
  private final Map<Service, Address> addresses = new EnumMap<>(Service.class);
  private final Map<Service, LocalService> services = new EnumMap<>(Service.class);
  private final Map<Link, FaultProxy> links = new EnumMap<>(Link.class);
  private final List<RunningDaemon> daemons = new CopyOnWriteArrayList<>();

  private LocalStack(
      Path peers, Path home, List<Link> withLinks, Map<String, String> connectSettings) {
    this.peers = peers.toAbsolutePath().normalize();
    this.home = home.toAbsolutePath();
    this.connectSettings = Map.copyOf(connectSettings);
    LocalKafka.Builder broker = LocalKafka.builder().directory(this.home.resolve("kafka"));
    for (Link link : withLinks) {
      if (link.service() == Service.KAFKA) {
        int port = Ports.free();
        FaultProxy proxy = link(link, port);
        broker.listener(link.client().name(), port, proxy.port());
      }
    }
    CompletableFuture<LocalKafka> starting = CompletableFuture.supplyAsync(broker::start);
    postgres = LocalPostgres.start(this.home.resolve("postgres"));
    kafka = starting.join();
    addresses.put(Service.POSTGRES, new Address(Ports.LOOPBACK, postgres.port()));
    addresses.put(Service.KAFKA, address(kafka.bootstrapServers()));
    for (Service service : List.of(Service.OBJECT_STORE, Service.CATALOG, Service.CONNECT)) {
      addresses.put(service, new Address(Ports.LOOPBACK, Ports.free()));
    }
    for (Link link : withLinks) {
      if (link.service() != Service.KAFKA) {
        link(link, outside(link.service()).port());
      }
    }
    services.put(Service.OBJECT_STORE, new LocalService(this::objectStore));
    services.put(Service.CATALOG, new LocalService(this::catalog));
    services.put(Service.CONNECT, new LocalService(this::connect));
  }

  private FaultProxy link(Link link, int port) {
    FaultProxy proxy = new FaultProxy(link.toString(), port);
    links.put(link, proxy);
    return proxy;
  }

  /**
   * Starts everything and waits until all of it answers, some 20 s on two cores.
   *
   * @param peers the directory {@code it/peers} of a built source tree
   */
  public static LocalStack start(Path peers) {
    return start(new LocalStack(peers, Scratch.directory("platform"), List.of(), Map.of()));
  }

  /**
   * As above, with a proxy on each link.
   *
   * @param home an empty directory for data, settings and logs, which is deleted in the end
   * @param connectSettings of the Connect worker, beside or in place of the usual ones
   */
  public static LocalStack startWithLinks(
      Path peers, Path home, Map<String, String> connectSettings) {
    return start(new LocalStack(peers, home, List.of(Link.values()), connectSettings));
  }

  private static LocalStack start(LocalStack stack) {
    try {
      stack.services.values().forEach(LocalService::start);
      stack.services.forEach((name, service) -> Readiness.await(stack, name, service::alive));
      return stack;
    } catch (RuntimeException e) {
      stack.close();
      throw e;
    }
  }

  private static Address address(String hostAndPort) {
    int colon = hostAndPort.lastIndexOf(':');
    return new Address(
        hostAndPort.substring(0, colon), Integer.parseInt(hostAndPort.substring(colon + 1)));
  }

  @Override
  public Address outside(Service service) {
    return service(addresses, service);
  }

  @Override
  public Address inside(Service service) {
    return outside(service);
  }

  @Override
  public Address inside(Client client, Service service) {
    for (Map.Entry<Link, FaultProxy> each : links.entrySet()) {
      if (each.getKey().client() == client && each.getKey().service() == service) {
        return new Address(Ports.LOOPBACK, each.getValue().port());
      }
    }
    return outside(service);
  }

  /** The proxy on a link; there is none unless it was started with links. */
  public FaultProxy link(Link link) {
    FaultProxy found = links.get(link);
    if (found == null) {
      throw new PlatformException("no proxy on " + link);
    }
    return found;
  }

  /** Where its data, settings and logs lie. */
  public Path home() {
    return home;
  }

  @Override
  public String password() {
    return postgres.password();
  }

  @Override
  public void kill(Service service) {
    switch (service) {
      case POSTGRES -> postgres.kill();
      case KAFKA -> kafka.kill();
      default -> service(services, service).kill();
    }
  }

  @Override
  public void restart(Service service) {
    launch(service);
    awaitReady(service);
  }

  /** Starts a killed service again and lets it get ready by itself, as far as it can. */
  public void launch(Service service) {
    switch (service) {
      case POSTGRES -> postgres.restart();
      case KAFKA -> kafka.restart();
      default -> service(services, service).start();
    }
  }

  /** Waits until a service answers. */
  public void awaitReady(Service service) {
    Readiness.await(this, service, () -> process(service).filter(OwnedProcess::alive).isPresent());
  }

  /** The process of a service, while it has one. */
  public Optional<OwnedProcess> process(Service service) {
    return switch (service) {
      case POSTGRES -> postgres.process();
      case KAFKA -> kafka.process();
      default -> service(services, service).process();
    };
  }

  @Override
  public String tail(Service service) {
    return switch (service) {
      case POSTGRES -> postgres.log().toString();
      case KAFKA -> kafka.log().toString();
      default -> service(services, service).tail();
    };
  }

  private static <T> T service(Map<Service, T> map, Service service) {
    T found = map.get(service);
    if (found == null) {
      throw new PlatformException("not a service of this stack: " + service);
    }
    return found;
  }

  @Override
  public LocalDaemonProcess daemon(String name, Map<String, String> settings) {
    return daemon(name, settings, Map.of());
  }

  /** As above, with system properties of its JVM. */
  public LocalDaemonProcess daemon(
      String name, Map<String, String> settings, Map<String, String> systemProperties) {
    Properties properties = new Properties();
    properties.putAll(settings);
    Path file = write(name + ".properties", properties);
    List<String> options = s3Client(768);
    systemProperties.forEach((key, value) -> options.add("-D" + key + "=" + value));
    LocalDaemonProcess daemon =
        new LocalDaemonProcess(
            ChildJvm.start(
                "daemon " + name,
                "io.onceberg.ingest.cli.Main",
                options,
                List.of("run", "--config", file.toString()),
                home.resolve(name + ".log")));
    daemons.removeIf(former -> !former.alive());
    daemons.add(daemon);
    return daemon;
  }

  private OwnedProcess objectStore() {
    Path directory = home.resolve("objects");
    makeDirectories(directory.resolve(PlatformSettings.BUCKET));
    Path file =
        write(
            "object-store.properties",
            PlatformSettings.objectStore(outside(Service.OBJECT_STORE), directory.toString()));
    return peer(
        "object-store", "org.gaul.s3proxy.Main", 256, List.of("--properties", file.toString()));
  }

  private OwnedProcess connect() {
    Address address = outside(Service.CONNECT);
    Properties settings =
        PlatformSettings.connect(
            service -> inside(Client.CONNECTOR, service),
            address.http("").toString(),
            address.host(),
            peers.resolve("connect/target/plugins").toString());
    settings.putAll(connectSettings);
    Path file = write("connect.properties", settings);
    return peer(
        "connect",
        "org.apache.kafka.connect.cli.ConnectDistributed",
        512,
        List.of(file.toString()));
  }

  private OwnedProcess peer(String name, String main, int megabytes, List<String> arguments) {
    Path peer = peers.resolve(name);
    // its logging configuration first
    String classPath = peer.resolve("src") + File.pathSeparator + peer.resolve("target/lib") + "/*";
    return ChildJvm.start(
        name,
        main,
        options(megabytes),
        arguments,
        Map.of("CLASSPATH", classPath),
        home.resolve(name + ".log"));
  }

  private OwnedProcess catalog() {
    Address address = outside(Service.CATALOG);
    Path file =
        write(
            "catalog.properties",
            PlatformSettings.catalogServer(this::inside, home.resolve("catalog.db").toString()));
    return ChildJvm.start(
        "catalog",
        "io.onceberg.it.catalog.RestCatalogServer",
        s3Client(256),
        List.of(address.host(), String.valueOf(address.port()), file.toString()),
        home.resolve("catalog.log"));
  }

  private static List<String> options(int megabytes) {
    List<String> options = new ArrayList<>(SHORT_LIVED);
    options.add("-Xmx" + megabytes + "m");
    return options;
  }

  private static List<String> s3Client(int megabytes) {
    List<String> options = options(megabytes);
    PlatformSettings.S3_CLIENT.forEach((name, value) -> options.add("-D" + name + "=" + value));
    return options;
  }

  private Path write(String name, Properties properties) {
    Path file = home.resolve(name);
    try (var out = Files.newOutputStream(file)) {
      properties.store(out, null);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void makeDirectories(Path directory) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends everything and leaves the data where they are. */
  public void end() {
    daemons.forEach(RunningDaemon::close);
    services.values().forEach(LocalService::kill);
    kafka.kill();
    postgres.kill();
    links.values().forEach(FaultProxy::close);
  }

  @Override
  public void close() {
    end();
    Scratch.delete(home);
  }
}
