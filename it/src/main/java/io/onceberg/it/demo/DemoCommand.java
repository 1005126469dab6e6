package io.onceberg.it.demo;

import io.onceberg.it.stack.Scratch;
import io.onceberg.it.stack.StackException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code onceberg demo}. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Shows the whole path on this machine: a real PostgreSQL, Debezium and a real Kafka, the",
      "daemon and Iceberg tables; a replay of thousands of events, and a kill in mid-batch.",
      "In the end every row is compared with what the database itself recorded.",
      "Exit status 0 only when nothing is missing and nothing is there twice."
    })
public final class DemoCommand implements Callable<Integer> {
  @Option(
      names = "--events",
      paramLabel = "N",
      defaultValue = "20000",
      description = "about how many changes to make (default ${DEFAULT-VALUE}, at least 12000)")
  private int events;

  @Option(names = "--json", paramLabel = "FILE", description = "write the figures as JSON")
  private @Nullable Path json;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "keep warehouse, settings and logs in this new or empty directory")
  private @Nullable Path keep;

  @Option(names = "--no-wait", description = "end with the figures instead of staying up")
  private boolean noWait;

  private final PrintStream out = System.out;

  @Override
  public Integer call() throws SQLException, InterruptedException {
    try {
      Path directory = keep == null ? Scratch.directory("demo") : prepare(keep.toAbsolutePath());
      return run(directory);
    } catch (DemoFailure | StackException e) {
      out.println("The demo failed: " + e.getMessage());
      return 1;
    }
  }

  private int run(Path directory) throws SQLException, InterruptedException {
    DemoLog.goesTo(new DemoFiles(directory).ownLog());
    try (Demo demo = new Demo(DemoSize.of(events), directory, new Progress(out))) {
      DemoResult result = demo.run();
      result.print(out);
      if (json != null) {
        result.write(json);
      }
      List<String> faults = result.faults();
      faults.forEach(fault -> out.println("NOT SHOWN: " + fault));
      if (faults.isEmpty()) {
        out.println("Every change is there exactly once.");
      }
      if (!noWait) {
        stayUp(demo);
      }
      return faults.isEmpty() ? 0 : 1;
    } finally {
      if (keep != null) {
        out.println("kept in " + directory);
      }
    }
  }

  private void stayUp(Demo demo) throws InterruptedException {
    out.printf(
        """

        Everything stays up for a look; capture and the daemon run on:
          tables    ./onceberg sql --config %s "select * from shop.orders limit 5"
          database  psql %s
          Kafka     %s
          logs      %s
        """,
        demo.files().daemonConfig(),
        demo.postgres().psqlUrl(DemoFiles.DATABASE),
        demo.kafka().bootstrapServers(),
        demo.files().directory().resolve("logs"));
    out.println("Press Enter, or Ctrl-C, to end it.");
    if (!enterPressed()) {
      new CountDownLatch(1).await(); // nobody is there to press it: a signal ends the program
    }
  }

  private static boolean enterPressed() {
    try {
      return System.in.read() >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Of a directory that is kept, the data of Kafka and PostgreSQL go: hundreds of megabytes. */
  private static Path prepare(Path directory) {
    try {
      Files.createDirectories(directory);
      try (Stream<Path> entries = Files.list(directory)) {
        if (entries.findAny().isPresent()) {
          throw new DemoFailure("--keep " + directory + " is not empty; name a new directory");
        }
      }
      Scratch.deleteAtEnd(directory.resolve("kafka").resolve("data"));
      Scratch.deleteAtEnd(directory.resolve("postgres").resolve("data"));
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
