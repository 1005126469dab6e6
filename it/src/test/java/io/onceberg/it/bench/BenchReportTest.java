package io.onceberg.it.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.onceberg.it.bench.CommitLog.Commit;
import io.onceberg.it.bench.LoadProducer.Produced;
import io.onceberg.it.bench.MemoryCourse.Look;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchReportTest {
  private static final ProcessFigures FIGURES =
      new ProcessFigures(1_500, 1_200, Duration.ofSeconds(20));

  @Test
  void barsAreTakenFromSteadyRatesAndAMissIsSaid() throws Exception {
    BenchReport report = report();
    assertThat(report.bars())
        .extracting(Bar::name, Bar::isMet)
        .containsExactly(
            tuple("json, events/s", true),
            tuple("json, times our plain append", false),
            tuple("json, times the Iceberg sink", true),
            tuple("a warm batch of 100 rows, ms", false),
            tuple("heap growth, batch 50 to 200, MB", true));

    StringWriter text = new StringWriter();
    report.print(new PrintWriter(text, true));
    assertThat(text.toString())
        .contains("Onceberg, exactly once", "120,000", "missed by 14 %", "missed by 20 %");

    JsonNode json = new ObjectMapper().readTree(report.json());
    assertThat(json.at("/formats/0/exactlyOnce/steady").asDouble()).isEqualTo(120_000);
    assertThat(json.at("/formats/0/icebergSink/steady").asDouble()).isEqualTo(60_000);
    assertThat(json.at("/smallBatch/medianMillis").asLong()).isEqualTo(600);
    assertThat(json.at("/bars/1/met").asBoolean()).isFalse();
  }

  private static BenchReport report() {
    Produced produced = new Produced(300_000, 300_000_000, Duration.ofSeconds(3));
    IcebergSink.Run sink = new IcebergSink.Run(commits(60_000), 0, FIGURES, 24);
    FormatFigures json =
        new FormatFigures(EventFormat.JSON, produced, sink, run(120_000), run(200_000), null);
    return new BenchReport(
        Machine.here(),
        new IngestBench.Plan(300_000, List.of(EventFormat.JSON), 1, null, true, true, false, null),
        List.of(json),
        new SmallBatches(List.of(500L, 600L, 700L), List.of(550L, 650L, 750L)),
        new MemoryCourse(List.of(new Look(50, 300, 1_300, 400), new Look(200, 310, 1_350, 450))));
  }

  private static DaemonRun run(long perSecond) {
    return new DaemonRun(commits(perSecond), 0, List.of(), FIGURES, 12, 300, 0);
  }

  private static CommitLog commits(long perSecond) {
    return new CommitLog(
        List.of(
            new Commit(1_000, perSecond),
            new Commit(2_000, 2 * perSecond),
            new Commit(4_000, 3 * perSecond)));
  }
}
