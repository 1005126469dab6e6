package io.onceberg.it.soak;

import io.onceberg.it.demo.DemoLog;
import io.onceberg.it.platform.PlatformException;
import io.onceberg.it.stack.Scratch;
import io.onceberg.it.stack.StackException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code onceberg soak}. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    description = {
      "Random work and random faults on the whole platform on this machine: PostgreSQL, Kafka, a",
      "Connect worker with Debezium, a REST catalog, an object store and the daemon, a process each,",
      "with a proxy on every link. Parts are killed and paused, links cut, slowed down and left half",
      "open, the daemon dies at its crash points, and others maintain its tables.",
      "In the end all faults are healed, and every row is compared with what the database recorded.",
      "Exit status 0 only when nothing is missing and nothing is there twice."
    })
public final class SoakCommand implements Callable<Integer> {
  private static final int LONGEST = 24 * 60;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "5",
      description = "how long there are faults, 1 to 1440 (default ${DEFAULT-VALUE})")
  private int minutes;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "draws the same work and faults again; any number by default")
  private @Nullable Long seed;

  @Option(names = "--json", paramLabel = "FILE", description = "write the figures as JSON")
  private @Nullable Path json;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "keep tables, settings and logs in this new or empty directory")
  private @Nullable Path keep;

  @Option(
      names = "--peers",
      paramLabel = "DIR",
      defaultValue = "it/peers",
      description = "where the peers lie in the source tree (default ${DEFAULT-VALUE})")
  private Path peers = Path.of("it", "peers");

  private final PrintStream out = System.out;

  @Override
  public Integer call() throws SQLException {
    if (minutes < 1 || minutes > LONGEST) {
      throw wrong("--minutes %d: 1 to %d can be had".formatted(minutes, LONGEST));
    }
    long drawn = seed == null ? ThreadLocalRandom.current().nextInt(1_000_000) : seed;
    Path home = keep == null ? Scratch.directory("soak") : prepare(keep.toAbsolutePath());
    out.printf("soak of %d min with seed %d%n", minutes, drawn);
    try {
      return run(home, drawn);
    } catch (PlatformException | StackException e) {
      out.println("The soak failed: " + e.getMessage());
      return 1;
    } finally {
      out.printf("again: ./onceberg soak --minutes %d --seed %d%n", minutes, drawn);
      if (keep != null) {
        out.println("kept in " + home);
      }
    }
  }

  private int run(Path home, long drawn) throws SQLException {
    DemoLog.goesTo(home.resolve("soak.log"));
    SoakResult result;
    try (Soak soak = new Soak(peers, home, keep != null, drawn, out)) {
      result = soak.run(Duration.ofMinutes(minutes));
    }
    result.print(out);
    if (json != null) {
      result.write(json);
    }
    List<String> wrong = result.wrong();
    wrong.forEach(each -> out.println("WRONG: " + each));
    if (wrong.isEmpty()) {
      out.println("Every change is there exactly once.");
    }
    return wrong.isEmpty() ? 0 : 1;
  }

  private Path prepare(Path directory) {
    try {
      Files.createDirectories(directory);
      try (Stream<Path> entries = Files.list(directory)) {
        if (entries.findAny().isPresent()) {
          throw wrong("--keep " + directory + " is not empty; name a new directory");
        }
      }
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ParameterException wrong(String message) {
    if (spec == null) {
      throw new IllegalStateException("not made by picocli");
    }
    return new ParameterException(spec.commandLine(), message);
  }
}
