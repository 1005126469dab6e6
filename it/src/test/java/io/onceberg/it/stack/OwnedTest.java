package io.onceberg.it.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnedTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String READY = "a child runs";

  /** Starts its child again whenever that has ended, until the very end. */
  static final class Restless {
    private Restless() {}

    public static void main(String[] arguments) {
      List<String> command = List.of("sleep", arguments[0]);
      Path log = Path.of(arguments[1]);
      OwnedProcess child = OwnedProcess.start("sleep", command, Map.of(), log);
      System.out.println(READY);
      while (true) {
        if (!child.alive()) {
          child = OwnedProcess.start("sleep", command, Map.of(), log);
        }
      }
    }
  }

  @Test
  void nothingStaysBehindThatIsStartedWhileTheProgramEnds(@TempDir Path home) {
    String mark = String.valueOf(100_000 + ProcessHandle.current().pid());
    OwnedProcess program =
        ChildJvm.start(
            "restless",
            Restless.class.getName(),
            List.of("-Xmx64m", "-XX:TieredStopAtLevel=1"),
            List.of(mark, home.resolve("child.log").toString()),
            home.resolve("program.log"));
    program.awaitOutput(READY, LONG);
    assertThat(children(mark)).isPositive();
    assertThat(program.terminate(LONG)).isTrue();
    assertThat(Deadline.in(LONG).await(() -> children(mark) == 0)).isTrue();
  }

  private static long children(String mark) {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().orElse("").endsWith("sleep " + mark))
        .count();
  }
}
