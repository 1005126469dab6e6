package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.BenchRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code onceberg bench keys}. */
@Command(
    name = "keys",
    description = {
      "Builds a target of N keys over ten days and measures batches with 0, 1, 50 and 100 %%"
          + " duplicates on it: our lookup, our whole batch, a plain append, and what others do"
          + " instead. All in one run on the same files, every result checked.",
      "Then the cost of a batch of 100 rows, and what a key takes on disk and in memory.",
      "Nothing else should run meanwhile. For 100 M keys: ONCEBERG_HEAP=4g, and --without"
          + " left_anti_target,merge_target,hudi,delta; then the target's rows, which nothing else"
          + " reads, are not written."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class KeysBenchCommand implements Callable<Integer> {
  @Option(
      names = "--keys",
      paramLabel = "N",
      required = true,
      description = "Keys that the target holds, a multiple of 10.")
  private long keys;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Rows of a batch (default: ${DEFAULT-VALUE}); at most a day's keys.")
  private int rows;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "7",
      description = "Runs of each of our measures (default: ${DEFAULT-VALUE}).")
  private int runs;

  @Option(
      names = "--peer-runs",
      paramLabel = "N",
      defaultValue = "3",
      description = "Runs of each of the others (default: ${DEFAULT-VALUE}).")
  private int peerRuns;

  @Option(
      names = "--without",
      paramLabel = "LIST",
      split = ",",
      description =
          "Leave out some of left_anti_keys, left_anti_target, merge_target, hudi, delta. For the"
              + " last two Maven downloads 700 MB at first use.")
  private List<String> without = List.of();

  @Option(
      names = "--compare",
      paramLabel = "FILE",
      description = "The JSON of a run with fewer keys, to tell how the cost grows.")
  private @Nullable Path compare;

  @Option(
      names = "--peers",
      paramLabel = "DIR",
      defaultValue = "it/peers",
      description = "Where the modules of Hudi and Delta are (default: ${DEFAULT-VALUE}).")
  private Path peers = Path.of("");

  @Option(
      names = "--peer-heap",
      paramLabel = "SIZE",
      description =
          "Heap of Hudi's and of Delta's process, such as 4g or 800m (default: half of this"
              + " machine's memory, at most 8g). One that fails is reported, and the run goes on.")
  private @Nullable String peerHeap;

  @Mixin private BenchRun run = new BenchRun();

  @Override
  public Integer call() throws IOException {
    return run.of(this::plan, (plan, progress) -> new KeysBench(plan, progress).run());
  }

  private KeysPlan plan() throws IOException {
    return new KeysPlan(
        new EventNumbers(keys, rows),
        Effort.of(runs, peerRuns),
        without.stream().map(Measure::peer).collect(Collectors.toSet()),
        peers,
        peerHeap == null ? PeerHeap.ofMachine() : PeerHeap.of(peerHeap),
        compare == null ? null : EarlierRun.read(compare),
        run.keep());
  }
}
