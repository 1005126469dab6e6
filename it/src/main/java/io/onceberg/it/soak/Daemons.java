package io.onceberg.it.soak;

import io.onceberg.it.platform.LocalDaemonProcess;
import io.onceberg.it.platform.LocalStack;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The daemon at work, started again whenever it has ended. For a while there may be two. */
final class Daemons {
  private static final String FIRST = "daemon-1";
  private static final String SECOND = "daemon-2";

  private final LocalStack stack;
  private final Map<String, String> settings;
  private final List<String> endings = new ArrayList<>();
  private LocalDaemonProcess current;
  private String name = FIRST;

  Daemons(LocalStack stack, Map<String, String> settings) {
    this.stack = stack;
    this.settings = Map.copyOf(settings);
    this.current = stack.daemon(name, settings);
  }

  /** The file names of their logs. */
  static List<String> logs() {
    return List.of(FIRST + ".log", SECOND + ".log");
  }

  synchronized LocalDaemonProcess current() {
    return current;
  }

  /** Kills the daemon. Returns false when it had ended before. */
  synchronized boolean kill() {
    boolean hit = current.alive();
    current.kill();
    return hit;
  }

  synchronized void start() {
    current = stack.daemon(name, settings);
  }

  /** Starts it so that it dies at a crash point. */
  synchronized LocalDaemonProcess startArmed(Map<String, String> systemProperties) {
    current = stack.daemon(name, settings, systemProperties);
    return current;
  }

  /** Starts a second one beside it. */
  synchronized LocalDaemonProcess startSecond() {
    return stack.daemon(other(), settings);
  }

  private String other() {
    return name.equals(FIRST) ? SECOND : FIRST;
  }

  /** From now on the second one is the daemon. */
  synchronized void replaceBy(LocalDaemonProcess second) {
    name = other();
    current = second;
  }

  /** Starts the daemon again if it has ended although nobody killed it. */
  synchronized void revive() {
    if (!current.alive()) {
      endings.add("status %s: %s".formatted(current.exitStatus(), reason(current)));
      start();
    }
  }

  private static String reason(LocalDaemonProcess daemon) {
    List<String> lines = daemon.output().strip().lines().toList();
    return lines.stream()
        .filter(line -> line.startsWith("error OB-"))
        .reduce((earlier, later) -> later)
        .orElse(lines.isEmpty() ? "" : lines.get(lines.size() - 1));
  }

  /** How it has ended by itself, each time. */
  synchronized List<String> endings() {
    return List.copyOf(endings);
  }
}
