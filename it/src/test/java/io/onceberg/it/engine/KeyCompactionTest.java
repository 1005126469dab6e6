package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.ingest.sink.TargetResult;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@code onceberg keys compact} beside a daemon at work. */
class KeyCompactionTest extends OrdersTopic {
  private static final String FILES = "SELECT count(*) FROM shop.orders_keys.files";

  KeyCompactionTest() {
    super(1);
  }

  private static List<Event> changes(int from, int until) {
    return IntStream.range(from, until).mapToObj(i -> Event.create(100 + i, i, "a")).toList();
  }

  private long files() {
    return pipeline.sql(FILES).get(0).getLong(0);
  }

  private String compact() {
    return pipeline.command("keys", "compact", "--table", "orders");
  }

  /** Six batches on three days, of changes and of snapshot rows. */
  private List<Event> load() {
    List<Event> all = new ArrayList<>();
    for (int batch = 0; batch < 6; batch++) {
      pipeline.now(Pipeline.NOON.plus(Duration.ofDays(batch / 2)));
      List<Event> events = new ArrayList<>(changes(20 * batch, 20 * batch + 20));
      events.add(Event.snapshot(5, 1_000 + batch, "r"));
      pipeline.send(topic, 0, events);
      assertThat(pipeline.landed().rows()).isEqualTo(21);
      all.addAll(events);
    }
    return all;
  }

  @Test
  void oneFileForEachDayAndKind() {
    pipeline.restart(Map.of("keys.merge.width", "1000"));
    List<Event> all = load();
    List<?> before = pipeline.sql("SELECT * FROM shop.orders_keys ORDER BY lsn, key, content_hash");
    String said = compact();
    assertThat(files()).isEqualTo(6);
    assertThat(said)
        .contains("shop.orders: 2026-03-16, 2 files to 1, 40 keys")
        .containsPattern("shop.orders: \\d+ files to 6, \\d+\\.\\d\\d MiB to ");
    assertThat(pipeline.sql("SELECT * FROM shop.orders_keys ORDER BY lsn, key, content_hash"))
        .isEqualTo(before);
    assertThat(compact()).startsWith("shop.orders: 6 files to 6, ");
    pipeline.send(topic, 0, all);
    TargetReport again = pipeline.landed();
    assertThat(again.rows()).isZero();
    assertThat(again.connectorReplay() + again.snapshotOverlap()).isEqualTo(all.size());
  }

  /** The batch was built on files that are replaced while it is read, and merges some itself. */
  @Fault(
      area = Area.MAINTENANCE,
      what = "onceberg keys compact while a batch is at work",
      outcome = "the batch lands on top of it")
  @Test
  void aBatchInWorkLandsOnTopOfIt() {
    pipeline.restart(
        Map.of("value.converter", InterruptedConverter.class.getName(), "keys.merge.width", "4"));
    for (int batch = 0; batch < 4; batch++) {
      pipeline.send(topic, 0, changes(20 * batch, 20 * batch + 20));
      pipeline.landed();
    }
    assertThat(files()).isEqualTo(4);
    pipeline.send(topic, 0, changes(70, 90));
    InterruptedConverter.meanwhile(this::compact);
    TargetReport report = pipeline.landed();
    assertThat(report.rows()).isEqualTo(10);
    assertThat(report.connectorReplay()).isEqualTo(10);
    assertThat(files()).as("the merged one and the batch's own").isEqualTo(2);
    assertThat(
            pipeline.sql("SELECT operation FROM shop.orders_keys.snapshots ORDER BY committed_at"))
        .extracting(row -> row.getString(0))
        .endsWith("replace", "append");
    assertThat(pipeline.count("orders_keys")).isEqualTo(90);
    assertThat(pipeline.count("orders")).isEqualTo(90);
  }

  /** Batches of new and replayed events one after the other, and compactions beside them. */
  @Fault(
      area = Area.MAINTENANCE,
      what = "onceberg keys compact beside batches of new and replayed events")
  @Test
  void ingestGoesOnMeanwhile() {
    pipeline.restart(Map.of("keys.merge.width", "3"));
    pipeline.send(topic, 0, changes(0, 30));
    assertThat(pipeline.landed().rows()).isEqualTo(30);
    CompletableFuture<Long> ingest = CompletableFuture.supplyAsync(this::ingest);
    int compactions = 0;
    while (!ingest.isDone()) {
      assertThat(compact()).contains("shop.orders: ");
      compactions++;
    }
    assertThat(ingest.join()).isEqualTo(19 * 30);
    assertThat(compactions).isPositive();
    assertThat(pipeline.count("orders")).isEqualTo(600);
    assertThat(pipeline.sql("SELECT DISTINCT lsn FROM shop.orders_keys")).hasSize(600);
    assertThat(pipeline.count("orders_keys")).isEqualTo(600);
    compact();
    assertThat(files()).isEqualTo(1);
  }

  /** Gives how many rows have landed. */
  private long ingest() {
    long rows = 0;
    for (int batch = 1; batch < 20; batch++) {
      pipeline.send(topic, 0, changes(30 * batch - 15, 30 * batch + 30));
      List<TargetResult> results = pipeline.batch();
      rows += ((TargetResult.Landed) results.get(0)).report().rows();
    }
    return rows;
  }
}
