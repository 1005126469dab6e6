package io.onceberg.it.cli;

import io.onceberg.ingest.cli.Onceberg;
import io.onceberg.it.bench.BenchCommand;
import io.onceberg.it.bench.keys.KeysBenchCommand;
import io.onceberg.it.demo.DemoCommand;
import io.onceberg.it.soak.SoakCommand;
import io.onceberg.replay.ReplayCommand;
import picocli.CommandLine;

/** The main class that the launcher starts: the program's commands, and those of the proof. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    // Spark leaves threads behind, so the program is ended and does not just return
    System.exit(commandLine().execute(arguments));
  }

  /** All commands. */
  public static CommandLine commandLine() {
    CommandLine bench = new CommandLine(new BenchCommand()).addSubcommand(new KeysBenchCommand());
    return Onceberg.commandLine(new ReplayCommand(), new DemoCommand(), new SoakCommand(), bench);
  }
}
