package io.onceberg.keystore;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/** Prints what one warm commit on the SQLite catalog costs; run by hand. */
final class CommitSpeed {
  private CommitSpeed() {}

  public static void main(String[] arguments) throws Exception {
    int batches = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 250;
    Path directory = Files.createTempDirectory("commit-speed");
    Map<String, String> properties =
        Map.of(
            "write.metadata.delete-after-commit.enabled", "true",
            "write.metadata.previous-versions-max", "20");
    try (Lake lake = Lake.open(Lake.sqlite(directory)).create(properties)) {
      Standing now = lake.standing();
      long[] micros = new long[batches];
      long[] cpu = new long[batches];
      for (int i = 0; i < batches; i++) {
        Lake.Batch batch = Lake.batch(now.ledger(), 1);
        StagedFiles files = lake.files(i);
        long begin = System.nanoTime();
        long beginCpu = cpuNanos();
        now = lake.committed(now, batch, files);
        micros[i] = (System.nanoTime() - begin) / 1_000;
        cpu[i] = (cpuNanos() - beginCpu) / 1_000;
      }
      for (int from = 0; from < batches; from += 50) {
        int until = Math.min(batches, from + 50);
        System.out.printf(
            "batches %d..: wall %.1f ms, processor %.1f ms (medians)%n",
            from, median(micros, from, until) / 1e3, median(cpu, from, until) / 1e3);
      }
    }
  }

  private static long median(long[] values, int from, int until) {
    long[] part = Arrays.copyOfRange(values, from, until);
    Arrays.sort(part);
    return part[part.length / 2];
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
