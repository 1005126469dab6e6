package io.onceberg.it.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What the operating system says about a process.
 *
 * @param peakRssMegabytes the most memory it ever had resident (VmHWM)
 * @param rssMegabytes what it has resident now (VmRSS)
 * @param cpu processor time of all its threads since it started
 */
record ProcessFigures(long peakRssMegabytes, long rssMegabytes, Duration cpu) {
  static ProcessFigures of(long pid) {
    Duration cpu =
        ProcessHandle.of(pid)
            .flatMap(process -> process.info().totalCpuDuration())
            .orElse(Duration.ZERO);
    return new ProcessFigures(megabytes(pid, "VmHWM:"), megabytes(pid, "VmRSS:"), cpu);
  }

  private static long megabytes(long pid, String field) {
    Path status = Path.of("/proc", Long.toString(pid), "status");
    if (!Files.exists(status)) {
      return 0; // not Linux, or ended
    }
    try {
      return Files.readAllLines(status).stream()
          .filter(line -> line.startsWith(field))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
