package io.onceberg.ingest.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RunbookTest {
  private static final Path RUNBOOK = Path.of("..", "docs", "runbook.md");

  @Test
  void everyErrorHasItsSectionInOrderAndNothingElseHas() throws Exception {
    List<String> expected =
        Arrays.stream(ErrorCode.values())
            .sorted((a, b) -> Integer.compare(a.number(), b.number()))
            .map(code -> "## " + code.label() + " " + code)
            .toList();
    assertThat(Files.readAllLines(RUNBOOK).stream().filter(line -> line.startsWith("## ")))
        .containsExactlyElementsOf(expected);
  }

  @Test
  void everySectionSaysWhatTheProgramDoesAndWhatIsNext() throws Exception {
    for (String section : Files.readString(RUNBOOK).split("\n## ", -1)) {
      if (section.startsWith("OB-")) {
        String name = section.substring(7, section.indexOf('\n')).strip();
        assertThat(section.replaceAll("\\s+", " "))
            .contains("**Next:**")
            .contains(done(ErrorCode.valueOf(name)));
      }
    }
  }

  private static String done(ErrorCode code) {
    return switch (code.reaction()) {
      case RETRY -> "waits";
      case RECOVER -> "recovers";
      case QUARANTINE -> "quarantines";
      case STOP_TARGET -> "stops the target";
      case STOP -> "stops";
    };
  }
}
