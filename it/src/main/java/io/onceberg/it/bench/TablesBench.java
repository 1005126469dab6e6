package io.onceberg.it.bench;

import io.onceberg.it.bench.DaemonLog.Batch;
import io.onceberg.it.stack.LocalKafka;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a cycle costs a daemon that has many tables, of which some get records each time. All that
 * is written for a cycle is there at once, as after a pause of the daemon.
 */
final class TablesBench {
  /**
   * What is to be measured.
   *
   * @param tables topics, each of one partition and with a target of its own
   * @param active how many of them get records in each cycle; the next cycle takes the next ones
   * @param rows records that each of those gets
   */
  record Plan(int tables, int active, int rows, int cycles, @Nullable Path keep) {
    Plan {
      if (tables < 1 || active < 1 || rows < 1 || cycles < 1) {
        throw new IllegalArgumentException("all numbers must be at least 1");
      }
      if (active > tables) {
        throw new IllegalArgumentException(
            "--active must be at most --tables, %d, not %d".formatted(tables, active));
      }
    }
  }

  private static final int BROKER_HEAP_MEGABYTES = 1024;

  private final Plan plan;
  private final Progress progress;

  TablesBench(Plan plan, Progress progress) {
    this.plan = plan;
    this.progress = progress;
  }

  TablesReport run() {
    Machine machine = Machine.here();
    Scratch scratch = Scratch.in(plan.keep());
    try (scratch) {
      progress.say("starting the broker");
      try (LocalKafka kafka =
          LocalKafka.builder()
              .directory(scratch.root().resolve("kafka"))
              .heapMegabytes(BROKER_HEAP_MEGABYTES)
              .start()) {
        return run(machine, scratch.root(), kafka.bootstrapServers());
      }
    }
  }

  private TablesReport run(Machine machine, Path root, String bootstrap) {
    List<String> topics =
        IntStream.range(0, plan.tables()).mapToObj("bench.tables.t%03d"::formatted).toList();
    try (TopicsProducer producer = new TopicsProducer(bootstrap, topics);
        Daemon daemon = Daemon.start(launch(root, bootstrap, topics))) {
      progress.say("making all tables with their first records");
      long written = producer.write(topics, plan.rows());
      daemon.awaitRead(written);
      long made = daemon.log().batches().get(daemon.log().batches().size() - 1).atMillis();
      long firstMillis = made - daemon.log().firstPlanMillis();
      progress.say("%d cycles", 2 * plan.cycles());
      List<TablesReport.Cycle> cycles = new ArrayList<>();
      for (int cycle = 0; cycle < 2 * plan.cycles(); cycle++) {
        int before = daemon.log().batches().size();
        written += producer.write(active(topics, cycle), plan.rows());
        long acknowledged = BenchClock.millis();
        daemon.awaitRead(written);
        List<Batch> all = daemon.log().batches();
        cycles.add(cycle(all.subList(before, all.size()), acknowledged));
      }
      return new TablesReport(
          machine,
          plan,
          firstMillis,
          cycles.subList(plan.cycles(), cycles.size()),
          daemon.figures(),
          daemon.heapAfterCollectionMegabytes(),
          daemon.log().complaints().size());
    }
  }

  private static Daemon.Launch launch(Path root, String bootstrap, List<String> topics) {
    return new Daemon.Launch(
        root.resolve("daemon"),
        bootstrap,
        String.join(",", topics),
        EventFormat.JSON,
        "",
        Map.of(),
        false,
        false);
  }

  private List<String> active(List<String> topics, int cycle) {
    return IntStream.range(0, plan.active())
        .mapToObj(i -> topics.get((cycle * plan.active() + i) % topics.size()))
        .toList();
  }

  /** Where the daemon took the records in more than one go, all of them are the cycle. */
  private TablesReport.Cycle cycle(List<Batch> batches, long acknowledged) {
    long last = batches.stream().mapToLong(Batch::atMillis).max().orElse(acknowledged);
    long first = batches.stream().mapToLong(b -> b.atMillis() - b.millis()).min().orElse(last);
    return new TablesReport.Cycle(batches.size(), last - first, last - acknowledged);
  }
}
