package io.onceberg.it.cli;

import io.onceberg.ingest.capture.CaptureCommand;
import io.onceberg.it.demo.DemoCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The main class that the launcher starts. */
@Command(name = "onceberg", mixinStandardHelpOptions = true)
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new Main())
            .addSubcommand(new CaptureCommand())
            .addSubcommand(new DemoCommand())
            .execute(arguments));
  }
}
