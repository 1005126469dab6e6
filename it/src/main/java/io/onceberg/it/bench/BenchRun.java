package io.onceberg.it.bench;

import io.onceberg.it.stack.StackException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiFunction;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the benchmarks' commands share: how one is run, where its files and figures go. */
public final class BenchRun {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the figures as JSON as well.")
  private @Nullable Path json;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Keep logs, settings and tables in this empty directory.")
  private @Nullable Path keep;

  /** Makes a plan of what the user wants. */
  @FunctionalInterface
  public interface Planning<P> {
    /**
     * Makes it.
     *
     * @throws IllegalArgumentException when that cannot be
     * @throws IOException when a file that was named cannot be read
     */
    P plan() throws IOException;
  }

  /** The directory that is kept; null for one that is deleted. */
  public @Nullable Path keep() {
    return keep;
  }

  /**
   * Runs a benchmark, prints its report and writes it as JSON if that is wanted.
   *
   * @return the exit status
   */
  public <P> int of(Planning<P> planning, BiFunction<P, Progress, Report> bench)
      throws IOException {
    if (command == null) {
      throw new IllegalStateException("not started by the command line");
    }
    CommandLine line = command.commandLine();
    Configurator.setAllLevels("", Level.ERROR); // a new topic's leader is not known at once
    Configurator.setLevel("io.onceberg", Level.WARN);
    P plan = plan(planning, line);
    try {
      PrintWriter out = line.getOut();
      Report report = bench.apply(plan, new Progress(out));
      report.print(out);
      out.flush();
      if (json != null) {
        Files.writeString(json, report.json());
      }
      return 0;
    } catch (BenchException | StackException e) {
      line.getErr().println("onceberg: " + e.getMessage());
      return 1;
    }
  }

  private static <P> P plan(Planning<P> planning, CommandLine line) {
    try {
      return planning.plan();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, e.getMessage(), e);
    } catch (IOException e) {
      throw new ParameterException(line, "cannot read " + e.getMessage(), e);
    }
  }
}
