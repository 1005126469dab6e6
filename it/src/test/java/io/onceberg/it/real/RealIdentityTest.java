package io.onceberg.it.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.ingest.sink.TargetResult;
import io.onceberg.it.cli.Main;
import io.onceberg.it.engine.Pipeline;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.stack.ChildJvm;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.SharedStack;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/**
 * What made other systems lose or repeat events, made by a real database, read by a connector that
 * is killed before it has stored its position and then sends everything again.
 *
 * <p>The steps are one story and build on each other: the first run, the replay, a snapshot in
 * mid-stream. What must be in the tables is what triggers wrote down.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RealIdentityTest {
  private static final int COPIED = 1_000;

  /** Longer than since 1970: Debezium takes that as its last flush, so an hour would be one now. */
  private static final String NEVER = "9000000000000000";

  private static final List<String> TABLES = List.of("copied", "orders", "twins");

  /** Events of each table in the first run, with the tombstones of its deletes. */
  private static final Map<String, Long> RECORDS =
      Map.of("copied", COPIED + 1L, "orders", 16L, "twins", 8L);

  /** Those of them that lie before the position that the connector has stored. */
  private static final Map<String, Long> STORED = Map.of("copied", 1L, "orders", 3L, "twins", 2L);

  @TempDir private static Path directory = Path.of("");
  private static Database database;
  private static Pipeline pipeline;

  @BeforeAll
  static void firstRun() throws Exception {
    database = Database.create("identity");
    database.execute(
        "create table copied (id bigint primary key, note text)",
        "create table orders (id bigint primary key, note text)",
        "create table twins (a int, b text)",
        "alter table twins replica identity full",
        "insert into copied values (0, 'before')",
        "insert into orders values (-1, 'before'), (0, 'before')",
        "insert into twins values (0, 'before'), (9, 'before')");
    audit();
    // a first capture in good order: the snapshot is behind it and its position is stored
    try (InProcessCapture snapshot = InProcessCapture.start(settings("data", Map.of()))) {
      awaitRecords(snapshot, Map.of("copied", 1L, "orders", 2L, "twins", 2L));
      database.execute("insert into orders values (-5, 'streamed')");
      awaitRecords(snapshot, STORED);
    }
    OwnedProcess killed = child();
    try {
      work();
      RECORDS.forEach((t, count) -> Database.awaitRecords(topic(t), count, killed::alive));
    } finally {
      killed.kill();
    }
    pipeline =
        new Pipeline(
            directory.resolve("tables"),
            Map.of(
                "topics",
                String.join(",", TABLES.stream().map(RealIdentityTest::topic).toList()),
                "key.converter.schemas.enable",
                "true",
                "value.converter.schemas.enable",
                "true"));
  }

  @AfterAll
  static void close() {
    pipeline.close();
  }

  private static void audit() throws SQLException {
    List<String> statements = new ArrayList<>();
    statements.add("create schema audit");
    statements.add(
        "create table audit.change (seq bigserial, tbl text, op text, tx bigint, row jsonb)");
    statements.add(
        """
        create function audit.record() returns trigger language plpgsql as $$
        declare moved boolean := tg_op = 'UPDATE' and tg_table_name <> 'twins'
          and to_jsonb(old) -> 'id' is distinct from to_jsonb(new) -> 'id';
        begin
          if tg_op = 'DELETE' or moved then
            insert into audit.change (tbl, op, tx, row) values
              (tg_table_name, 'd', pg_current_xact_id()::text::bigint, to_jsonb(old));
          end if;
          if tg_op <> 'DELETE' then
            insert into audit.change (tbl, op, tx, row) values (tg_table_name,
              case when tg_op = 'INSERT' or moved then 'c' else 'u' end,
              pg_current_xact_id()::text::bigint, to_jsonb(new));
          end if;
          return null;
        end $$
        """);
    for (String table : TABLES) {
      statements.add(
          "insert into audit.change (tbl, op, row) select '%1$s', 'r', to_jsonb(t) from %1$s t"
              .formatted(table));
      statements.add(
          "create trigger audit after insert or update or delete on %s for each row execute function audit.record()"
              .formatted(table));
    }
    database.execute(statements.toArray(String[]::new));
  }

  private static void work() throws SQLException, IOException {
    copy();
    database.execute("insert into orders values (1, '2'), (3, '4')");
    interleave();
    database.execute(
        "update orders set id = 20 where id = 1", "update orders set note = 'x' where id = 3");
    database.execute("delete from orders where id = 3");
    database.execute("insert into twins values (1, 'same'), (1, 'same')");
    database.execute("insert into twins values (1, 'same'), (1, 'same')");
    database.execute("update twins set b = 'other' where a <> 1");
  }

  /** Case B1: all rows share one position. */
  private static void copy() throws SQLException, IOException {
    StringBuilder rows = new StringBuilder();
    for (int i = 1; i <= COPIED; i++) {
      rows.append(i).append("\tcopied\n");
    }
    try (Connection connection = database.connect()) {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("copy copied from stdin", new StringReader(rows.toString()));
    }
  }

  /** Case B2: the one that wrote first commits last. */
  private static void interleave() throws SQLException {
    try (Connection slow = database.connect();
        Connection quick = database.connect();
        Statement a = slow.createStatement();
        Statement b = quick.createStatement()) {
      slow.setAutoCommit(false);
      quick.setAutoCommit(false);
      a.execute("insert into orders values (10, 'a')");
      b.execute("insert into orders values (11, 'b')");
      a.execute("insert into orders values (12, 'a')");
      b.execute("insert into orders values (13, 'b')");
      a.execute("update orders set note = 'aa' where id = 10");
      quick.commit();
      slow.commit();
    }
  }

  private static OwnedProcess child() throws IOException {
    StringBuilder text = new StringBuilder();
    settings("data", Map.of("debezium.offset.flush.interval.ms", NEVER))
        .forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
    Path file = directory.resolve("capture.properties");
    Files.writeString(file, text);
    return ChildJvm.start(
        "capture",
        Main.class.getName(),
        List.of("-Xmx256m"),
        List.of("capture", "--config", file.toString()),
        directory.resolve("capture.log"));
  }

  private static Map<String, String> settings(String data, Map<String, String> more) {
    Map<String, String> settings = new TreeMap<>(more);
    settings.put("capture.topic.partitions", "2");
    settings.put("debezium.schema.include.list", "public");
    settings.put("debezium.publication.autocreate.mode", "filtered");
    return database.captureSettings(database.name(), directory.resolve(data), settings);
  }

  private static String topic(String table) {
    return database.name() + ".public." + table;
  }

  private static void awaitRecords(InProcessCapture capture, Map<String, Long> counts) {
    counts.forEach(capture::awaitRecords);
  }

  @Fault(
      area = Area.SOURCE,
      what =
          "a real database: COPY, multi-row INSERT, interleaved transactions, key changes, twins, TRUNCATE",
      outcome = "each recorded change is one row",
      cases = {Case.B1, Case.B2, Case.B3, Case.B6, Case.B7})
  @Test
  @Order(1)
  void everyEventIsOneRow() throws SQLException {
    Map<String, TargetReport> reports = batch();
    assertThat(report(reports, "copied").rows()).isEqualTo(COPIED + 1L);
    assertThat(report(reports, "orders").tombstones()).isEqualTo(2);
    verify(true);
  }

  @Test
  @Order(2)
  void positionsAreAsHardAsTheyCanBe() {
    assertThat(number("count(distinct lsn) from shop.copied_keys where op = 'c'"))
        .as("a COPY has one position for many rows")
        .isLessThan(COPIED / 100);
    List<Long> positions =
        pipeline
            .sql(
                "select cast(_cdc.position.lsn as bigint) from shop.orders"
                    + " where _cdc.op = 'c' and id between 10 and 13 order by id")
            .stream()
            .map(row -> row.getLong(0))
            .toList();
    assertThat(positions).as("two transactions that wrote in turn").isSorted();
  }

  @Fault(
      area = Area.SOURCE,
      what = "the connector sends every event of a real database again",
      cases = {Case.B1, Case.B2, Case.B3, Case.B6, Case.B7})
  @Test
  @Order(3)
  void aConnectorThatSendsEverythingAgainAddsNothing() throws SQLException {
    Map<String, Long> twice = new HashMap<>();
    RECORDS.forEach((table, count) -> twice.put(table, count + again(table)));
    try (InProcessCapture capture = InProcessCapture.start(settings("data", Map.of()))) {
      awaitRecords(capture, twice);
      database.execute("insert into orders values (30, 'new')");
      twice.merge("orders", 1L, Long::sum);
      awaitRecords(capture, twice);
    }
    Map<String, TargetReport> reports = batch();
    for (String table : TABLES) {
      TargetReport report = report(reports, table);
      assertThat(report.rows()).as(table).isEqualTo(table.equals("orders") ? 1 : 0);
      assertThat(report.connectorReplay() + report.tombstones()).as(table).isEqualTo(again(table));
    }
    verify(true);
  }

  /** Case B4: another snapshot under the same name, with changes before and after it. */
  @Fault(
      area = Area.SOURCE,
      what = "a second snapshot of a real database in mid-stream",
      outcome = "unchanged rows add nothing; no change is suppressed",
      cases = Case.B4)
  @Test
  @Order(4)
  void aSnapshotInMidStreamNeitherSuppressesNorRepeats() throws Exception {
    Map<String, Long> before = records();
    Map<String, Long> snapshot = new HashMap<>();
    for (String table : TABLES) {
      snapshot.put(
          table, Long.parseLong(database.rows("select count(*) from " + table).get(0).get(0)));
    }
    Map<String, String> always = Map.of("debezium.snapshot.mode", "always");
    try (InProcessCapture second = InProcessCapture.start(settings("data", always))) {
      awaitMore(second, before, snapshot);
      database.execute("update orders set note = 'y' where id = 30");
      snapshot.merge("orders", 1L, Long::sum);
      awaitMore(second, before, snapshot);
    }
    List<TargetResult> results = pipeline.batch();
    // without a key nothing tells a true twin from a snapshot's repeat: the user must choose
    assertThat(failures(results))
        .extracting(failed -> failed.error().code())
        .containsExactly(ErrorCode.TWINS_UNSETTLED);
    TargetReport orders = report(landed(results), "orders");
    // of orders only the rows -1 and 0 were in the first snapshot, and have not changed
    assertThat(orders.snapshotOverlap()).isEqualTo(2);
    assertThat(orders.rows()).isEqualTo(snapshot.getOrDefault("orders", 0L) - 2);
    verify(false);
  }

  private static void awaitMore(
      InProcessCapture capture, Map<String, Long> before, Map<String, Long> more) {
    more.forEach((t, count) -> capture.awaitRecords(t, before.getOrDefault(t, 0L) + count));
  }

  private static Map<String, Long> records() throws Exception {
    Map<String, Long> records = new HashMap<>();
    try (Admin admin = SharedStack.kafka().admin()) {
      for (String table : TABLES) {
        records.put(table, Database.records(admin, topic(table)));
      }
    }
    return records;
  }

  /** How many records the connector must send again. */
  private static long again(String table) {
    return RECORDS.getOrDefault(table, 0L) - STORED.getOrDefault(table, 0L);
  }

  private static Map<String, TargetReport> batch() {
    List<TargetResult> results = pipeline.batch();
    assertThat(failures(results)).isEmpty();
    return landed(results);
  }

  private static TargetReport report(Map<String, TargetReport> reports, String table) {
    return Objects.requireNonNull(reports.get(table), table);
  }

  private static List<TargetResult.Failed> failures(List<TargetResult> results) {
    return results.stream()
        .filter(TargetResult.Failed.class::isInstance)
        .map(TargetResult.Failed.class::cast)
        .toList();
  }

  private static Map<String, TargetReport> landed(List<TargetResult> results) {
    return results.stream()
        .filter(TargetResult.Landed.class::isInstance)
        .map(result -> ((TargetResult.Landed) result).report())
        .collect(Collectors.toMap(report -> report.target().table(), report -> report));
  }

  /**
   * Rows and keys are what the triggers wrote.
   *
   * @param snapshots whether snapshot rows are compared too: the triggers know of the first only
   */
  private static void verify(boolean snapshots) throws SQLException {
    for (String table : TABLES) {
      String expected =
          "select distinct on (op, tx, row, case when op = 'r' then 0 else seq end) op, tx, row"
              + " from audit.change where tbl = '%s'".formatted(table);
      List<String> lines = new ArrayList<>();
      String id = table.equals("twins") ? "a" : "id";
      String note = table.equals("twins") ? "b" : "note";
      for (List<String> row :
          database.rows(
              "select op, tx, row->>'%s', row->>'%s' from (%s) x".formatted(id, note, expected))) {
        boolean keyOnly = row.get(0).equals("d") && !table.equals("twins");
        lines.add(
            row.get(0) + " " + row.get(1) + " " + row.get(2) + " " + (keyOnly ? null : row.get(3)));
      }
      List<String> found =
          pipeline
              .sql("select _cdc.op, _cdc.tx_id, %s, %s from shop.%s".formatted(id, note, table))
              .stream()
              .map(
                  r ->
                      r.get(0)
                          + " "
                          + (r.get(0).equals("r") ? null : r.get(1))
                          + " "
                          + r.get(2)
                          + " "
                          + r.get(3))
              .toList();
      if (!snapshots) {
        lines.removeIf(line -> line.startsWith("r"));
        found = found.stream().filter(line -> !line.startsWith("r")).toList();
      }
      assertThat(RealTypesTest.difference(lines, found)).as(table).isEmpty();
      assertThat(pipeline.count(table + "_keys")).as(table).isEqualTo(pipeline.count(table));
      assertThat(
              number(
                  "count(*) from (select distinct * except (loaded_date) from shop.%s_keys)"
                      .formatted(table)))
          .isEqualTo(pipeline.count(table));
    }
  }

  private static long number(String query) {
    return pipeline.sql("select " + query).get(0).getLong(0);
  }
}
