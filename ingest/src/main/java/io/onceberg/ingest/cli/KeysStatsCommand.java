package io.onceberg.ingest.cli;

import io.onceberg.keystore.KeyStats;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code onceberg keys stats}: how many keys there are and what a lookup in them takes. */
@Command(
    name = "stats",
    mixinStandardHelpOptions = true,
    description =
        "Prints how many keys and files there are, bytes per key, the files of each day by size, and the"
            + " memory that a lookup takes. Changes nothing.",
    footer = {
      "",
      "Examples:",
      "  onceberg keys stats --config onceberg.properties",
      "  onceberg keys stats --config onceberg.properties --table orders --json"
    })
final class KeysStatsCommand implements Callable<Integer> {
  @Mixin private KeyTables tables = new KeyTables();

  @Option(
      names = "--json",
      description = "One JSON object a line for each target, with all of its days.")
  private boolean json;

  private int days;

  @Option(
      names = "--days",
      paramLabel = "N",
      defaultValue = "10",
      description = "The most days that are listed (default: ${DEFAULT-VALUE}).")
  @SuppressWarnings("UnusedMethod") // picocli calls it
  private void days(int most) {
    if (most < 0) {
      throw new ParameterException(spec.commandLine(), "--days must be 0 or more, not " + most);
    }
    days = most;
  }

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    ProgressLines progress = new ProgressLines(spec.commandLine().getErr());
    List<KeyStats> all = new ArrayList<>();
    tables.forEach(
        keys -> {
          KeyStats stats = keys.stats(progress.of(keys.name()));
          out.print(json ? KeyStatsText.json(stats) : KeyStatsText.of(stats, days));
          out.flush();
          all.add(stats);
        });
    if (!json) {
      out.print(KeyStatsText.sum(all));
    }
    out.flush();
    return 0;
  }
}
