package io.onceberg.replay;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code onceberg replay}: the recovery tool. Its commands have their names and no more yet. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = "Reads ranges again that were lost or damaged. Not in this version.")
public final class ReplayCommand {
  private static final int NOT_IN_THIS_VERSION = 3;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Command(description = "Is it possible: what Kafka and the source still have.")
  int plan() {
    return notYet("plan");
  }

  @Command(description = "Read a range again through the same pipeline.")
  int run() {
    return notYet("run");
  }

  @Command(description = "Compare rows with Kafka, and keys with rows.")
  int verify() {
    return notYet("verify");
  }

  @Command(description = "Take tables and ledger back to an earlier batch.")
  int rewind() {
    return notYet("rewind");
  }

  @Command(description = "Read a range again from the source database.")
  int source() {
    return notYet("source");
  }

  private int notYet(String command) {
    spec.commandLine().getErr().println("replay " + command + " is not in this version");
    return NOT_IN_THIS_VERSION;
  }
}
