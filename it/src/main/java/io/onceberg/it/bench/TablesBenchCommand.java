package io.onceberg.it.bench;

import io.onceberg.it.stack.StackException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
  @Spec private @Nullable CommandSpec spec;

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

  @Option(names = "--json", paramLabel = "FILE", description = "Write the figures as JSON as well.")
  private @Nullable Path json;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Keep logs, settings and tables in this empty directory.")
  private @Nullable Path keep;

  @Override
  public Integer call() throws IOException {
    CommandSpec command = spec;
    if (command == null) {
      throw new IllegalStateException("not started by the command line");
    }
    Configurator.setAllLevels("", Level.ERROR); // a new topic's leader is not known at once
    Configurator.setLevel("io.onceberg", Level.WARN);
    PrintWriter out = command.commandLine().getOut();
    TablesBench.Plan plan = plan(command);
    try {
      TablesReport report =
          new TablesBench(
                  plan,
                  line -> {
                    out.println(line);
                    out.flush();
                  })
              .run();
      report.print(out);
      out.flush();
      if (json != null) {
        Files.writeString(json, report.json());
      }
      return 0;
    } catch (BenchException | StackException e) {
      command.commandLine().getErr().println("onceberg: " + e.getMessage());
      return 1;
    }
  }

  private TablesBench.Plan plan(CommandSpec command) {
    try {
      return new TablesBench.Plan(tables, active, rows, cycles, keep);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), e.getMessage(), e);
    }
  }
}
