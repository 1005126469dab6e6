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
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Spark in a process of its own, with a class path of its own, that runs statements sent to it.
 * Its collector and number of threads are those of this process, its heap is its own.
 */
final class PeerProcess implements AutoCloseable {
  private static final String MAIN = "io.onceberg.peer.SqlPeer";
  private static final Duration RESOLVE = Duration.ofMinutes(20);
  private static final int ACCEPT_MILLIS = 2_000;

  /** A heap that is nearly full can keep a process busy for ever. */
  private static final Duration ANSWER = Duration.ofHours(1);

  private static final Duration END = Duration.ofSeconds(10);
  private static final String OK = "ok\t";
  private static final String ERROR = "error\t";
  private static final Pattern OUT_OF_MEMORY = Pattern.compile("[\\w.$]*OutOfMemoryError\\b.*");
  private static final int KILLED = 128 + 9;
  private static final int LONGEST_REASON = 300;
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
  private final PeerHeap heap;
  private final OwnedProcess process;
  private final Socket socket;
  private final BufferedReader in;
  private final PrintWriter out;
  private String step = "starting";
  private int stepInLog;

  private PeerProcess(String name, PeerHeap heap, OwnedProcess process, Socket socket)
      throws IOException {
    this.name = name;
    this.heap = heap;
    this.process = process;
    this.socket = socket;
    this.in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    this.out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
  }

  /**
   * Starts a peer.
   *
   * @param classPath see {@link #classPath}
   * @param home where its log and tables may lie
   */
  static PeerProcess start(
      String name, String classPath, PeerHeap heap, Path home, Map<String, String> settings) {
    List<String> options = new ArrayList<>(ChildJvm.collector());
    options.add("-Xmx" + heap.megabytes() + "m");
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
      return started(name, heap, process, server);
    } catch (IOException e) {
      throw new BenchException("cannot talk to " + name, e);
    }
  }

  private static PeerProcess started(
      String name, PeerHeap heap, OwnedProcess process, ServerSocket server) throws IOException {
    try {
      PeerProcess peer = new PeerProcess(name, heap, process, accept(server, name, process));
      peer.answer();
      return peer;
    } catch (BenchException e) {
      process.close();
      throw e;
    }
  }

  private static Socket accept(ServerSocket server, String name, OwnedProcess process)
      throws IOException {
    server.setSoTimeout(ACCEPT_MILLIS);
    while (true) {
      try {
        Socket socket = server.accept();
        socket.setSoTimeout((int) ANSWER.toMillis());
        return socket;
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

  /** Says what the next statements are for, which is told when one of them fails. */
  void begin(String format, Object... values) {
    step = String.format(Locale.ROOT, format, values);
    stepInLog = process.output().length();
  }

  long pid() {
    return process.pid();
  }

  /**
   * Runs a statement and gives the first value of its result; empty when there is none.
   *
   * @throws BenchException when it fails; the first line of its message says what at, and why
   */
  String sql(String statement) {
    out.println(statement.replaceAll("\\s+", " "));
    return answer();
  }

  /** Makes a view of Parquet files, given by a pattern. */
  void view(String view, String files) {
    sql(
        "CREATE OR REPLACE TEMPORARY VIEW %s USING parquet OPTIONS (path '%s')"
            .formatted(view, files));
  }

  private String answer() {
    String line;
    try {
      line = in.readLine();
    } catch (SocketTimeoutException e) {
      throw failure("no answer for %d minutes".formatted(ANSWER.toMinutes()), e);
    } catch (IOException e) {
      throw failure(end(), e);
    }
    if (line == null) {
      throw failure(end(), null);
    }
    if (line.startsWith(OK)) {
      return line.substring(OK.length());
    }
    throw failure(line.startsWith(ERROR) ? line.substring(ERROR.length()) : line, null);
  }

  /** How it ended that closed its side. */
  private String end() {
    if (!process.awaitEnd(END)) {
      return "it talks no more";
    }
    int status = process.exitStatus().orElseThrow();
    return "its process ended with status %d%s"
        .formatted(status, status == KILLED ? " (killed, as a system short of memory does)" : "");
  }

  /** Want of memory comes first: it ends a Spark by all kinds of other errors. */
  private BenchException failure(String said, @Nullable Exception cause) {
    Matcher memory = OUT_OF_MEMORY.matcher(process.output().substring(stepInLog));
    String reason = memory.find() ? memory.group() : said;
    return new BenchException(
        "%s: %s while %s; its heap is %d MB (--peer-heap)%nits log %s ends:%n%s"
            .formatted(
                name,
                reason.substring(0, Math.min(reason.length(), LONGEST_REASON)),
                step,
                heap.megabytes(),
                process.log(),
                process.tail()),
        cause);
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
