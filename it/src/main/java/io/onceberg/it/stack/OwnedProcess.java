package io.onceberg.it.stack;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** A child process that ends with this program, and whose output goes to a log file. */
public final class OwnedProcess implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(15);
  private static final int TAIL_BYTES = 8_192;

  private final String name;
  private final Process process;
  private final Path log;
  private final long logStart;
  private final String stopSignal;

  private OwnedProcess(String name, Process process, Path log, long logStart, String stopSignal) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.logStart = logStart;
    this.stopSignal = stopSignal;
  }

  /** Starts a program that ends in good order on SIGTERM; output is appended to the log. */
  public static OwnedProcess start(
      String name, List<String> command, Map<String, String> environment, Path log) {
    return start(name, command, environment, log, "TERM");
  }

  static OwnedProcess start(
      String name,
      List<String> command,
      Map<String, String> environment,
      Path log,
      String stopSignal) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    builder.redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    try {
      Files.createDirectories(log.toAbsolutePath().getParent());
      long logStart = Files.exists(log) ? Files.size(log) : 0;
      OwnedProcess started = new OwnedProcess(name, builder.start(), log, logStart, stopSignal);
      Owned.add(started);
      return started;
    } catch (IOException e) {
      throw new StackException("cannot start %s (%s)".formatted(name, command.get(0)), e);
    }
  }

  public long pid() {
    return process.pid();
  }

  public boolean alive() {
    return process.isAlive();
  }

  /** The exit status, once the process has ended. */
  public OptionalInt exitStatus() {
    return alive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
  }

  public Path log() {
    return log;
  }

  /** Stops the process and its children in their tracks, until {@link #resume}. */
  public void pause() {
    signalAll("STOP");
  }

  /** Lets a paused process go on. */
  public void resume() {
    signalAll("CONT");
  }

  private void signalAll(String signal) {
    List<ProcessHandle> children = process.descendants().toList();
    Owned.signal(pid(), signal);
    children.forEach(child -> Owned.signal(child.pid(), signal));
  }

  /** Sends SIGKILL to the process and to its children and waits until they are gone. */
  public void kill() {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    Deadline.in(GRACE).await(() -> !alive() && children.stream().noneMatch(ProcessHandle::isAlive));
    Owned.remove(this);
  }

  /**
   * Asks the process to end and waits for it.
   *
   * @return false when it did not end in time; it runs on then
   */
  public boolean terminate(Duration grace) {
    if (alive()) {
      Owned.signal(pid(), stopSignal);
    }
    if (!awaitEnd(grace)) {
      return false;
    }
    Owned.remove(this);
    return true;
  }

  /** Waits until the process has ended. */
  public boolean awaitEnd(Duration time) {
    return Deadline.in(time).await(() -> !alive());
  }

  /**
   * Waits for a text in what this process has written.
   *
   * @throws StackException when it ends before, or the time is up
   */
  public void awaitOutput(String text, Duration time) {
    Deadline deadline = Deadline.in(time);
    while (!output().contains(text)) {
      if (!alive() && !output().contains(text)) {
        throw failure("ended with status %d".formatted(process.exitValue()));
      }
      if (!deadline.pause()) {
        throw failure("did not get ready within %d s".formatted(time.toSeconds()));
      }
    }
  }

  /** Everything that this process has written so far. */
  public String output() {
    return read(logStart);
  }

  /** The last lines of what this process has written. */
  public String tail() {
    try {
      return read(Math.max(logStart, Files.size(log) - TAIL_BYTES));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  StackException failure(String what) {
    return new StackException("%s %s; the end of %s:%n%s".formatted(name, what, log, tail()));
  }

  /** Ends the process in good order, or by force when that takes too long. */
  @Override
  public void close() {
    if (!terminate(GRACE)) {
      kill();
    }
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  String stopSignal() {
    return stopSignal;
  }

  private String read(long from) {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      file.seek(from);
      byte[] bytes = new byte[(int) Math.max(0, file.length() - from)];
      file.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return name + " (process " + pid() + ")";
  }
}
