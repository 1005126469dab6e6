package io.onceberg.it.cli;

import io.onceberg.ingest.cli.Onceberg;
import io.onceberg.it.bench.BenchCommand;
import io.onceberg.replay.ReplayCommand;

/** The main class that the launcher starts: the program's own commands and the source tree's. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(Onceberg.commandLine(new ReplayCommand(), new BenchCommand()).execute(arguments));
  }
}
