package io.onceberg.it.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.cli.Main;
import io.onceberg.it.stack.ChildJvm;
import io.onceberg.it.stack.OwnedProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class CommandTest {
  @TempDir Path dir;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void anUnknownSettingEndsTheStartWithItsNumberAndNoStackTrace() throws Exception {
    Path file = Files.writeString(dir.resolve("c.properties"), "kafka.bootstrap.server=x:1\n");

    assertThat(run("run", "--config", file.toString())).isEqualTo(11);
    assertThat(err.toString().lines())
        .containsExactly(
            "error OB-101 UNKNOWN_SETTING: 'kafka.bootstrap.server' is no setting; did you mean"
                + " 'kafka.bootstrap.servers'?; see docs/configuration.md",
            "see docs/runbook.md, section OB-101");
  }

  @Test
  void theStackTraceIsThereWhenAskedFor() {
    String missing = dir.resolve("missing.properties").toString();
    assertThat(run("run", "--config", missing, "--stacktrace")).isEqualTo(11);
    assertThat(err.toString()).startsWith("error OB-104 ").contains("\tat io.onceberg.");
  }

  @Test
  void aFileCanBeCheckedWithoutConnecting() throws Exception {
    Path file =
        Files.writeString(
            dir.resolve("c.properties"),
            "kafka.bootstrap.servers=x:1\ntopics=a.b\nkafka.sasl.jaas.config=hunter2\n");
    assertThat(run("config", "check", file.toString())).isZero();
    assertThat(out.toString()).contains("is right", "cdc.b").doesNotContain("hunter2");
    assertThat(run("config", "docs")).isZero();
    assertThat(out.toString()).contains("# Settings");
  }

  @ParameterizedTest
  @ValueSource(strings = {"run", "capture", "sql", "keys", "config", "replay", "demo", "bench", ""})
  void everyCommandExplainsItself(String command) {
    assertThat(command.isEmpty() ? run("--help") : run(command, "--help")).isZero();
    assertThat(out.toString()).contains("Usage: onceberg").contains("--help");
  }

  /** In a process of its own, since picocli warns on the error stream that it found at first. */
  @Test
  void noHelpIsWrittenInAWayThatPicocliWarnsOf() {
    Path log = dir.resolve("help.log");
    try (OwnedProcess help =
        ChildJvm.start("help", AllHelp.class.getName(), List.of(), List.of(), log)) {
      assertThat(help.awaitEnd(Duration.ofMinutes(1))).isTrue();
      assertThat(help.output())
          .contains("Usage: onceberg bench keys", "Usage: onceberg keys rebuild", AllHelp.END)
          .doesNotContain("WARN");
    }
  }

  /** Prints the help of every command. */
  static final class AllHelp {
    private static final String END = "all of it";

    private AllHelp() {}

    public static void main(String[] arguments) {
      print(Main.commandLine());
      System.out.println(END);
    }

    private static void print(CommandLine command) {
      command.usage(System.out);
      command.getSubcommands().values().forEach(AllHelp::print);
    }
  }

  @Test
  void wrongUsageIsToldFromErrors() {
    assertThat(run("run")).isEqualTo(2);
    assertThat(err.toString()).contains("Missing required option: '--config=FILE'");
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).startsWith("onceberg 0.").contains("Spark 4.1");
    assertThat(run("replay", "plan")).isEqualTo(3);
    assertThat(err.toString()).contains("replay plan is not in this version");
  }

  private int run(String... arguments) {
    CommandLine line = Main.commandLine();
    return line.setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
