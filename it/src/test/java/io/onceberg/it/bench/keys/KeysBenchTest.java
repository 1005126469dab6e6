package io.onceberg.it.bench.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.onceberg.it.bench.BenchException;
import io.onceberg.it.bench.Progress;
import io.onceberg.it.stack.Scratch;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The whole benchmark at a size that tells nothing, with one peer whose heap is too small. */
class KeysBenchTest {
  private static final EventNumbers NUMBERS = new EventNumbers(5_000, 500);

  @Test
  void everyMeasureIsTakenCheckedAndReported() throws Exception {
    Path earlier = Scratch.directory("earlier").resolve("earlier.json");
    Files.writeString(
        earlier,
        """
        {"keys": 1000, "results": [
          {"measure": "batch", "duplicates": 0, "medianMillis": 0.001},
          {"measure": "batch", "duplicates": 1, "medianMillis": 1000000}]}
        """);
    KeysPlan plan =
        new KeysPlan(
            NUMBERS,
            new Effort(1, 1, 2, 2),
            Set.of(Measure.LEFT_ANTI_TARGET, Measure.HUDI),
            Path.of("peers"),
            PeerHeap.of("300m"),
            EarlierRun.read(earlier),
            null);
    StringWriter said = new StringWriter();
    KeysReport report = new KeysBench(plan, new Progress(new PrintWriter(said, true))).run();

    JsonNode json = new ObjectMapper().readTree(report.json());
    Set<String> measured = new HashSet<>();
    for (JsonNode result : json.path("results")) {
      assertThat(result.path("keys").asLong()).isEqualTo(5_000);
      assertThat(result.path("medianMillis").asDouble()).isPositive();
      assertThat(result.path("minMillis").asDouble())
          .isLessThanOrEqualTo(result.path("maxMillis").asDouble());
      assertThat(result.path("runs").asInt()).isEqualTo(1);
      measured.add(result.path("measure").asText() + result.path("duplicates").asInt());
    }
    assertThat(measured)
        .hasSize(4 * 7)
        .contains("lookup0", "batch1", "append50", "left_anti_keys100", "merge_target1");
    assertThat(json.path("leftOut")).hasSize(2);
    assertThat(json.path("failed")).hasSize(1);
    assertThat(json.at("/failed/delta").asText()).startsWith("delta: ").contains("while starting");
    assertThat(json.at("/leftOut/0").asText()).isEqualTo("left_anti_target");
    assertThat(json.at("/bytesPerKey/2/identity").asText()).isEqualTo("changelog");
    assertThat(json.at("/bytesPerKey/2/filter").asDouble()).isZero();
    assertThat(json.at("/bytesPerKey/0/payloadHash").asDouble()).isBetween(8.0, 9.0);
    assertThat(json.at("/changelogMemoryBytes/fresh").asLong()).isZero();

    StringWriter text = new StringWriter();
    report.print(new PrintWriter(text, true));
    assertThat(text.toString()).contains("left out", "bytes per key", "times that at 1,000 keys");
    assertThat(text.toString().lines())
        .anyMatch(line -> line.matches("Delta insert-only MERGE( +failed){4}"))
        .anyMatch(line -> line.matches("delta: .* its heap is 300 MB .*"));
    assertThat(report.bars().stream().filter(bar -> bar.name().contains("at 1,000 keys")))
        .extracting(bar -> bar.isMet())
        .containsExactly(false, true);
  }

  @Test
  void aBatchBringsEachEventOnceAndAsManyStoredOnesAsItShould() {
    for (Duplicates duplicates : Duplicates.values()) {
      Set<Long> fresh = new HashSet<>();
      for (int batch = 0; batch < 3; batch++) {
        long[] numbers = NUMBERS.batch(duplicates, batch);
        assertThat(Arrays.stream(numbers).distinct()).hasSize(500);
        long[] stored = Arrays.stream(numbers).filter(number -> number < 5_000).toArray();
        assertThat(stored).hasSize(500 * duplicates.percent() / 100);
        if (duplicates.lastDay()) {
          assertThat(LongStream.of(stored)).allMatch(number -> number >= 4_500);
        }
        Arrays.stream(numbers)
            .filter(number -> number >= 5_000)
            .forEach(number -> assertThat(fresh.add(number)).isTrue());
      }
    }
  }

  @Test
  void aWrongResultFailsTheRun() {
    assertThatThrownBy(() -> Contender.check(Measure.LOOKUP, "hits", 1_000, 999))
        .isInstanceOf(BenchException.class)
        .hasMessage("lookup: 999 hits instead of 1,000");
  }
}
