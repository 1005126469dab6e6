package io.onceberg.it.bench;

import io.onceberg.it.stack.OwnedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Class paths of programs that run beside ours and must bring nothing into it. */
public final class MavenClassPath {
  private MavenClassPath() {}

  /**
   * Asks Maven for the class path of a POM's dependencies; the first time it downloads them.
   *
   * @param goals what Maven does before
   * @param home where its log and answer may lie
   * @param most how long it may take
   * @throws BenchException when it fails
   */
  public static String of(Path pom, List<String> goals, Path home, Duration most) {
    Path output = home.resolve("class-path.txt").toAbsolutePath();
    List<String> command =
        new ArrayList<>(List.of("mvn", "-q", "-B", "-ntp", "-f", pom.toString()));
    command.addAll(goals);
    command.add("dependency:build-classpath");
    command.add("-Dmdep.outputFile=" + output);
    OwnedProcess maven = OwnedProcess.start("Maven", command, Map.of(), home.resolve("maven.log"));
    if (!maven.awaitEnd(most) || maven.exitStatus().orElse(1) != 0) {
      throw new BenchException(
          "Maven cannot make a class path from %s:%n%s".formatted(pom, maven.tail()));
    }
    try {
      return Files.readString(output).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
