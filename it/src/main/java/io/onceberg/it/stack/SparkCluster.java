package io.onceberg.it.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A Spark standalone cluster on loopback, from this program's own class path: a master and workers,
 * each a process, and the executors that the workers start.
 */
public final class SparkCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int EXECUTOR_MEGABYTES = 512;

  private final Path home;
  private final int port = Ports.free();
  private final List<OwnedProcess> processes = new ArrayList<>();

  private SparkCluster(Path home) {
    this.home = home;
  }

  /**
   * Starts a master and workers of one core each.
   *
   * @param home an existing directory for logs and the executors' files
   */
  public static SparkCluster start(Path home, int workers) {
    SparkCluster cluster = new SparkCluster(home);
    try {
      cluster.startAll(workers);
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void startAll(int workers) {
    createDirectory(home.resolve("spark/jars")); // the class path is given otherwise
    processes.add(
        spawn(
            "master",
            "org.apache.spark.deploy.master.Master",
            List.of("--host", Ports.LOOPBACK, "--port", port(), "--webui-port", "0")));
    if (!Deadline.in(PATIENCE).await(this::listens)) {
      throw new StackException("the Spark master does not answer: " + processes.get(0).tail());
    }
    for (int i = 0; i < workers; i++) {
      processes.add(
          spawn(
              "worker-" + i,
              "org.apache.spark.deploy.worker.Worker",
              List.of(
                  "--host",
                  Ports.LOOPBACK,
                  "--webui-port",
                  "0",
                  "--cores",
                  "1",
                  "--memory",
                  EXECUTOR_MEGABYTES + "m",
                  "--work-dir",
                  home.resolve("work-" + i).toString(),
                  url())));
    }
  }

  private OwnedProcess spawn(String name, String main, List<String> arguments) {
    return ChildJvm.start(
        "the Spark " + name,
        main,
        List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        arguments,
        Map.of(
            "SPARK_HOME",
            home.resolve("spark").toString(),
            "SPARK_SCALA_VERSION",
            "2.13",
            "SPARK_LOCAL_IP",
            Ports.LOOPBACK),
        home.resolve(name + ".log"));
  }

  private String port() {
    return String.valueOf(port);
  }

  private boolean listens() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
      return true;
    } catch (IOException e) {
      return false; // not yet
    }
  }

  private static void createDirectory(Path directory) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String url() {
    return "spark://" + Ports.LOOPBACK + ":" + port;
  }

  /** The settings of a program whose tasks are to run here. */
  public Map<String, String> settings() {
    return Map.of(
        "spark.master",
        url(),
        "spark.driver.host",
        Ports.LOOPBACK,
        "spark.driver.bindAddress",
        Ports.LOOPBACK,
        "spark.executor.memory",
        EXECUTOR_MEGABYTES + "m",
        "spark.executor.extraClassPath",
        System.getProperty("java.class.path"),
        "spark.executor.extraJavaOptions",
        "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
  }

  /** The executors that run now: what the workers have started. */
  public List<ProcessHandle> executors() {
    return processes.stream()
        .flatMap(process -> ProcessHandle.of(process.pid()).stream())
        .flatMap(ProcessHandle::children)
        .toList();
  }

  /** Kills everything. */
  @Override
  public void close() {
    List<ProcessHandle> executors = executors();
    for (int i = processes.size() - 1; i >= 0; i--) {
      processes.get(i).close();
    }
    executors.forEach(ProcessHandle::destroyForcibly);
  }
}
