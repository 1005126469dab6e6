package io.onceberg.it.demo;

import java.io.PrintStream;

/** Says what the demo does, with the seconds since its start. */
final class Progress {
  private final PrintStream out;
  private final long startNanos = System.nanoTime();

  Progress(PrintStream out) {
    this.out = out;
  }

  void say(String text) {
    out.printf("[%5.1f s] %s%n", (System.nanoTime() - startNanos) / 1e9, text);
  }
}
