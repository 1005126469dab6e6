package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.onceberg.ingest.cli.Onceberg;
import io.onceberg.it.stack.SharedStack;
import io.onceberg.keystore.keyfile.KeyMemory;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code onceberg keys stats} says what SQL on the tables says. */
class KeyStatsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;
  private String orders = "";
  private String outbox = "";
  private Pipeline pipeline;

  @BeforeEach
  void open() {
    String name = SharedStack.uniqueName("stats");
    orders = name + ".public.orders";
    outbox = name + ".public.outbox";
    Pipeline.createTopic(orders, 1);
    Pipeline.createTopic(outbox, 1);
    pipeline =
        new Pipeline(
            directory,
            Map.of(
                "topics",
                orders + "," + outbox,
                "table.outbox.kind",
                "events",
                "table.outbox.key",
                "event_id"));
  }

  @AfterEach
  void close() {
    pipeline.close();
  }

  /** Three batches on two days; each outbox event stands in its own batch only. */
  private List<Event> load() {
    List<Event> events = new ArrayList<>();
    for (int batch = 0; batch < 3; batch++) {
      pipeline.now(Pipeline.NOON.plus(Duration.ofDays(batch / 2)));
      List<Event> changes = new ArrayList<>();
      List<Event> facts = new ArrayList<>();
      for (int i = 0; i < 500 + 1_000 * batch; i++) {
        long lsn = 10_000L * batch + i;
        changes.add(Event.create(lsn, i, "a"));
        facts.add(fact(lsn));
      }
      changes.add(Event.snapshot(5, batch, "r"));
      pipeline.send(orders, 0, changes);
      pipeline.send(outbox, 0, facts);
      assertThat(pipeline.batch()).hasSize(2);
      events.addAll(facts);
    }
    return events;
  }

  private static Event fact(long lsn) {
    String row = "{\"event_id\":\"%s\",\"payload\":\"x\"}".formatted(new UUID(lsn * 31, lsn));
    return Event.change('c', lsn, 7, Event.key(lsn), null, row);
  }

  @Test
  void countsWhatSqlCounts() throws Exception {
    load();
    for (String table : List.of("orders", "outbox")) {
      JsonNode stats = JSON.readTree(pipeline.command("keys", "stats", "--json", "--table", table));
      assertThat(stats.get("target").asText()).isEqualTo("shop." + table);
      assertThat(stats.get("kind").asText())
          .isEqualTo(table.equals("orders") ? "changelog" : "events");
      assertThat(stats.get("identityVersion").asInt()).isEqualTo(2);
      assertThat(stats.get("keys").asLong()).isEqualTo(pipeline.count(table + "_keys"));
      Row files =
          pipeline
              .sql(
                  "SELECT count(*), sum(file_size_in_bytes), sum(record_count) FROM shop."
                      + table
                      + "_keys.files")
              .get(0);
      assertThat(stats.get("files").asLong()).isEqualTo(files.getLong(0));
      assertThat(stats.get("bytes").asLong()).isEqualTo(files.getLong(1));
      double perKey =
          stats.get("dataBytesPerKey").asDouble() + stats.get("filterBytesPerKey").asDouble();
      assertThat(perKey).isCloseTo((double) files.getLong(1) / files.getLong(2), within(1e-9));
      assertThat(stats.get("horizon").asText()).isEqualTo(min(table)).isEqualTo("2026-03-14");
      checkDays(table, stats.get("days"));
    }
  }

  private String min(String table) {
    return pipeline
        .sql("SELECT CAST(min(loaded_date) AS STRING) FROM shop." + table + "_keys")
        .get(0)
        .getString(0);
  }

  private void checkDays(String table, JsonNode days) {
    List<Row> expected =
        pipeline.sql(
            "SELECT CAST(partition.loaded_date AS STRING), count(*), sum(record_count),"
                + " sum(file_size_in_bytes) FROM shop."
                + table
                + "_keys.files GROUP BY 1 ORDER BY 1 DESC");
    assertThat(days).hasSize(expected.size()).hasSize(2);
    for (int i = 0; i < expected.size(); i++) {
      Row row = expected.get(i);
      JsonNode day = days.get(i);
      assertThat(day.get("loadedDate").asText()).isEqualTo(row.getString(0));
      assertThat(day.get("files").asLong()).isEqualTo(row.getLong(1));
      assertThat(day.get("keys").asLong()).isEqualTo(row.getLong(2));
      assertThat(day.get("bytes").asLong()).isEqualTo(row.getLong(3));
      long inTiers = 0;
      for (JsonNode tier : day.get("filesByTier")) {
        inTiers += tier.asLong();
      }
      assertThat(inTiers).isEqualTo(row.getLong(1));
    }
  }

  /** What is said of memory is what lookups of everything then take. */
  @Test
  void saysTheMemoryThatLookupsTake() throws Exception {
    List<Event> events = load();
    JsonNode stats =
        JSON.readTree(pipeline.command("keys", "stats", "--json", "--table", "shop.outbox"));
    KeyMemory.forgetAll();
    pipeline.send(outbox, 0, events);
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(events.size());
    assertThat(KeyMemory.bytes()).isEqualTo(stats.get("memoryBytes").asLong());
    assertThat(stats.get("filterBytes").asLong()).isBetween(2L * events.size(), 8L * events.size());
    pipeline.restart(Map.of("keys.filter.memory", "12345"));
    JsonNode limited =
        JSON.readTree(pipeline.command("keys", "stats", "--json", "--table", "outbox"));
    assertThat(limited.get("memoryBudgetBytes").asLong()).isEqualTo(12_345);
  }

  @Test
  void listsAllTargetsForPeople() {
    load();
    String all = pipeline.command("keys", "stats", "--days", "1");
    assertThat(all)
        .contains("shop.orders (changelog, identity version 2)")
        .contains("shop.outbox (events, identity version 2)")
        .contains("  keys           4,503 in 6 files of 2 days")
        .contains("  horizon        2026-03-14")
        .contains("  2026-03-15 ")
        .contains("  1 more ")
        .contains("2 targets: 9,003 keys, ");
  }

  @Test
  void aTableThatIsNoTargetIsSaidSo() {
    load();
    StringWriter err = new StringWriter();
    int status =
        Onceberg.commandLine()
            .setErr(new PrintWriter(err, true))
            .execute("keys", "stats", "--table", "odrers", "--config", pipeline.configFile());
    assertThat(status).isEqualTo(11);
    assertThat(err.toString()).startsWith("error OB-106 TARGET_UNKNOWN: ");
  }
}
