package io.onceberg.it.bench;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code onceberg bench tables}. */
@Command(
    name = "tables",
    description = {
      "Measures what a cycle costs a daemon that has many tables of which some get records: one"
          + " Spark job, and a commit for each.",
      "Nothing else should run meanwhile."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class TablesBenchCommand implements Callable<Integer> {
  @Option(
      names = "--tables",
      paramLabel = "N",
      defaultValue = "100",
      description = "Topics, each with a target of its own (default: ${DEFAULT-VALUE}).")
  private int tables;

  @Option(
      names = "--active",
      paramLabel = "N",
      defaultValue = "20",
      description = "How many of them get records in a cycle (default: ${DEFAULT-VALUE}).")
  private int active;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "100",
      description = "Records that each of those gets (default: ${DEFAULT-VALUE}).")
  private int rows;

  @Option(
      names = "--cycles",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "Cycles that are measured, after as many to warm up (default: ${DEFAULT-VALUE}).")
  private int cycles;

  @Mixin private BenchRun run = new BenchRun();

  @Override
  public Integer call() throws IOException {
    return run.of(this::plan, (plan, progress) -> new TablesBench(plan, progress).run());
  }

  private TablesBench.Plan plan() {
    return new TablesBench.Plan(tables, active, rows, cycles, run.keep());
  }
}
