package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.BenchException;
import io.onceberg.it.bench.MavenClassPath;
import io.onceberg.it.stack.ChildJvm;
import io.onceberg.it.stack.OwnedProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A Spark in a process of its own, with a class path of its own, that runs statements sent to it.
 * Its heap, collector and number of threads are those of this process.
 */
final class PeerProcess implements AutoCloseable {
  private static final String MAIN = "io.onceberg.peer.SqlPeer";
  private static final Duration RESOLVE = Duration.ofMinutes(20);
  private static final int ACCEPT_MILLIS = 2_000;
  private static final String OK = "ok\t";
  private static final Map<String, String> SETTINGS =
      Map.of(
          "spark.driver.host",
          "127.0.0.1",
          "spark.driver.bindAddress",
          "127.0.0.1",
          "spark.ui.enabled",
          "false",
          "spark.log.level",
          "WARN",
          "spark.sql.session.timeZone",
          "UTC",
          "spark.sql.shuffle.partitions",
          Integer.toString(Runtime.getRuntime().availableProcessors()),
          "spark.sql.parquet.compression.codec",
          "zstd");

  private final String name;
  private final OwnedProcess process;
  private final Socket socket;
  private final BufferedReader in;
  private final PrintWriter out;
  private final String version;

  private PeerProcess(String name, OwnedProcess process, Socket socket) throws IOException {
    this.name = name;
    this.process = process;
    this.socket = socket;
    this.in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    this.out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
    this.version = answer("its start");
  }

  /**
   * Starts a peer.
   *
   * @param classPath see {@link #classPath}
   * @param home where its log and tables may lie
   */
  static PeerProcess start(String name, String classPath, Path home, Map<String, String> settings) {
    List<String> options = new ArrayList<>(ChildJvm.collector());
    options.add("-Xmx" + (Runtime.getRuntime().maxMemory() >> 20) + "m");
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<String> arguments = new ArrayList<>();
      arguments.add(Integer.toString(server.getLocalPort()));
      SETTINGS.forEach((key, value) -> arguments.add(key + "=" + value));
      settings.forEach((key, value) -> arguments.add(key + "=" + value));
      arguments.add("spark.sql.warehouse.dir=" + home.resolve("spark"));
      OwnedProcess process =
          ChildJvm.start(
              name,
              MAIN,
              options,
              arguments,
              Map.of("CLASSPATH", classPath),
              home.resolve("peer.log"));
      return new PeerProcess(name, process, accept(server, name, process));
    } catch (IOException e) {
      throw new BenchException("cannot talk to " + name, e);
    }
  }

  private static Socket accept(ServerSocket server, String name, OwnedProcess process)
      throws IOException {
    server.setSoTimeout(ACCEPT_MILLIS);
    while (true) {
      try {
        return server.accept();
      } catch (SocketTimeoutException e) {
        if (!process.alive()) {
          throw new BenchException("%s did not start:%n%s".formatted(name, process.tail()), e);
        }
      }
    }
  }

  /**
   * Compiles a peer and gives its class path; the first time Maven downloads some hundred
   * megabytes.
   *
   * @param module the directory of its POM
   * @param home where Maven's log and answer may lie
   */
  static String classPath(Path module, Path home) {
    String dependencies =
        MavenClassPath.of(module.resolve("pom.xml"), List.of("compile"), home, RESOLVE);
    return module.resolve("target/classes").toAbsolutePath() + ":" + dependencies;
  }

  /** The version of its Spark. */
  String version() {
    return version;
  }

  /**
   * Runs a statement and gives the first value of its result; empty when there is none.
   *
   * @throws BenchException when it fails
   */
  String sql(String statement) {
    out.println(statement.replaceAll("\\s+", " "));
    return answer(statement);
  }

  /** Makes a view of Parquet files, given by a pattern. */
  void view(String view, String files) {
    sql(
        "CREATE OR REPLACE TEMPORARY VIEW %s USING parquet OPTIONS (path '%s')"
            .formatted(view, files));
  }

  private String answer(String asked) {
    try {
      String line = in.readLine();
      if (line != null && line.startsWith(OK)) {
        return line.substring(OK.length());
      }
      throw new BenchException(
          "%s failed at %s: %s%nits log %s ends:%n%s"
              .formatted(
                  name,
                  asked,
                  line == null ? "it has ended" : line,
                  process.log(),
                  process.tail()));
    } catch (IOException e) {
      throw new BenchException(name + " does not answer", e);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      process.close();
    }
  }
}
