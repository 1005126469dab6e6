package io.onceberg.it.faults;

import io.onceberg.it.stack.ChildJvm;
import io.onceberg.it.stack.OwnedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The real program in a process of its own. */
final class DaemonProcess {
  private static final String MAIN = "io.onceberg.ingest.cli.Main";

  private DaemonProcess() {}

  /**
   * Starts {@code onceberg run}.
   *
   * @param home where the settings and the log go
   * @param options further JVM options
   */
  static OwnedProcess start(Path home, Map<String, String> settings, String... options) {
    List<String> lines =
        settings.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
    try {
      Files.createDirectories(home);
      Path file = Files.write(home.resolve("onceberg.properties"), lines);
      // short-lived: little heap, and a compiler that starts fast
      List<String> all =
          new ArrayList<>(List.of("-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
      all.addAll(List.of(options));
      return ChildJvm.start(
          "the daemon",
          MAIN,
          all,
          List.of("run", "--config", file.toString()),
          home.resolve("daemon.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
