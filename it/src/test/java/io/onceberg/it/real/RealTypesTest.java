package io.onceberg.it.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.engine.Pipeline;
import io.onceberg.it.registry.TestRegistry;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every type of Postgres on its whole way, in three forms of Debezium's events. What must be in the
 * table is what the database answered right after each statement.
 */
class RealTypesTest {
  private static final int RECORDS = 16;
  private static final int ROWS = 12;
  private static final Map<String, String> MILLIS =
      Map.of("debezium.time.precision.mode", "connect", "debezium.decimal.handling.mode", "string");

  /** What the database said, by statement. */
  private record Said(String op, int id, Map<String, @Nullable String> values) {}

  @TempDir private static Path directory = Path.of("");
  private static final List<Said> SAID = new ArrayList<>();
  private static String name = "";
  private static TestRegistry registry = TestRegistry.start();

  @BeforeAll
  static void capture() throws SQLException {
    Database database = Database.create("zoo");
    name = database.name();
    database.execute(Zoo.ddl().toArray(String[]::new));
    database.execute(Zoo.insert(1, 0), "insert into zoo values (2)");
    database.execute(Zoo.insert(3, 1), Zoo.insert(4, 2));
    for (int id = 1; id <= 4; id++) {
      ask(database, "r", id);
    }
    try (InProcessCapture exact = start(database, "exact", Map.of());
        InProcessCapture millis = start(database, "millis", MILLIS);
        InProcessCapture avro = start(database, "avro", avro())) {
      List<InProcessCapture> all = List.of(exact, millis, avro);
      all.forEach(capture -> capture.awaitRecords("zoo", 4));
      change(database);
      all.forEach(capture -> capture.awaitRecords("zoo", RECORDS));
    }
  }

  @AfterAll
  static void close() {
    registry.close();
  }

  private static void change(Database database) throws SQLException {
    database.execute(Zoo.insert(11, 0), "insert into zoo values (12)");
    database.execute(Zoo.insert(13, 1), Zoo.insert(14, 2));
    for (int id = 11; id <= 14; id++) {
      ask(database, "c", id);
    }
    database.execute("update zoo set small = 8 where id = 11");
    ask(database, "u", 11);
    Map<String, @Nullable String> toasted = SAID.get(SAID.size() - 1).values();
    Zoo.largeNames().forEach(column -> toasted.put(column, null));
    toasted.put("unavailable", String.join(",", Zoo.largeNames()));
    database.execute("update zoo set large = 'short', large_raw = null where id = 1");
    ask(database, "u", 1);
    Map<String, @Nullable String> partly = SAID.get(SAID.size() - 1).values();
    List<String> kept = List.of("large_words", "large_ints", "large_doc");
    kept.forEach(column -> partly.put(column, null));
    partly.put("unavailable", String.join(",", kept));
    database.execute("delete from zoo where id = 13");
    SAID.add(new Said("d", 13, new HashMap<>()));
    database.execute("insert into zoo (id, at6) values (21, 'infinity')");
    database.execute("insert into zoo (id, instant) values (22, '-infinity')");
    database.execute("insert into zoo (id, day) values (23, 'infinity')");
    database.execute("insert into zoo (id, at3) values (24, '-infinity')");
    database.execute("insert into zoo (id, free_text) values (99, 'last')");
    ask(database, "c", 99);
  }

  /** Keeps the database's answer in the exact and, beside it, in the millisecond form. */
  private static void ask(Database database, String op, int id) throws SQLException {
    Map<String, @Nullable String> values = new HashMap<>();
    answers(database, id, Zoo.columns(), "", values);
    answers(database, id, Zoo.columnsInMillis(), "millis.", values);
    SAID.add(new Said(op, id, values));
  }

  private static void answers(
      Database database,
      int id,
      List<ZooColumn> columns,
      String prefix,
      Map<String, @Nullable String> values)
      throws SQLException {
    String expressions =
        columns.stream().map(ZooColumn::databaseExpression).collect(Collectors.joining(", "));
    List<String> row =
        database.rows("select %s from zoo where id = %d".formatted(expressions, id)).get(0);
    for (int i = 0; i < columns.size(); i++) {
      values.put(prefix + columns.get(i).name(), row.get(i));
    }
  }

  private static Map<String, String> avro() {
    Map<String, String> settings = new HashMap<>();
    for (String part : List.of("key", "value")) {
      settings.put(part + ".converter", "io.onceberg.ingest.decode.RegistryAvroConverter");
      settings.put(part + ".converter.schema.registry.url", registry.url());
    }
    return settings;
  }

  private static InProcessCapture start(
      Database database, String form, Map<String, String> settings) {
    String prefix = name + "_" + form;
    return InProcessCapture.start(
        database.captureSettings(prefix, directory.resolve(form), settings));
  }

  private static String topic(String form) {
    return name + "_" + form + ".public.zoo";
  }

  @Test
  void jsonWithMicrosecondsAndExactDecimals() {
    verify(
        "exact",
        "",
        Map.of("key.converter.schemas.enable", "true", "value.converter.schemas.enable", "true"));
  }

  @Test
  void jsonWithMillisecondsAndDecimalsAsText() {
    verify(
        "millis",
        "millis.",
        Map.of("key.converter.schemas.enable", "true", "value.converter.schemas.enable", "true"));
  }

  @Test
  void avroWithMicrosecondsAndExactDecimals() {
    verify("avro", "", avro());
  }

  private static void verify(String form, String answers, Map<String, String> converters) {
    List<String> fast;
    try (Pipeline pipeline = open(form, converters, true)) {
      TargetReport report = pipeline.landed();
      assertThat(difference(expected(answers), lines(pipeline))).isEmpty();
      assertThat(report.rows()).isEqualTo(ROWS);
      assertThat(report.tombstones()).isEqualTo(1);
      assertThat(report.quarantined()).isEqualTo(Map.of(ErrorCode.VALUE_OUT_OF_RANGE, 4L));
      assertThat(pipeline.count("zoo_quarantine where error = 303")).isEqualTo(4);
      fast = whole(pipeline);
    }
    try (Pipeline pipeline = open(form, converters, false)) {
      pipeline.landed();
      assertThat(difference(fast, whole(pipeline))).isEmpty();
    }
  }

  private static Pipeline open(String form, Map<String, String> converters, boolean fastPaths) {
    Map<String, String> settings = new HashMap<>(converters);
    settings.put("topics", topic(form));
    settings.put("decode.fast.paths", String.valueOf(fastPaths));
    return new Pipeline(directory.resolve("tables-" + form + fastPaths), settings);
  }

  private static List<String> expected(String answers) {
    List<String> lines = new ArrayList<>();
    for (Said said : SAID) {
      String row = said.op() + " " + said.id() + " ";
      for (ZooColumn column : Zoo.columns()) {
        boolean toasted =
            said.values().containsKey("unavailable") && Zoo.largeNames().contains(column.name());
        String value = said.values().get((toasted ? "" : answers) + column.name());
        lines.add(row + column.name() + "=" + column.canonical(value));
      }
      lines.add(row + "unavailable=" + said.values().get("unavailable"));
    }
    return lines;
  }

  /** What is missing and what is too much: readable where two lists of 700 lines are not. */
  static List<String> difference(List<String> expected, List<String> actual) {
    List<String> missing = new ArrayList<>(expected);
    List<String> surplus = new ArrayList<>();
    actual.forEach(
        line -> {
          if (!missing.remove(line)) {
            surplus.add("unexpected: " + line);
          }
        });
    missing.replaceAll(line -> "missing: " + line);
    missing.addAll(surplus);
    return missing;
  }

  private static List<String> lines(Pipeline pipeline) {
    List<ZooColumn> columns = Zoo.columns();
    String expressions =
        columns.stream()
            .map(c -> "cast(" + c.sparkExpression() + " as string)")
            .collect(Collectors.joining(", "));
    List<String> lines = new ArrayList<>();
    for (Row row :
        pipeline.sql(
            "select _cdc.op, id, array_join(_cdc.unavailable, ','), %s from shop.zoo"
                .formatted(expressions))) {
      String start = row.getString(0) + " " + row.getLong(1) + " ";
      for (int i = 0; i < columns.size(); i++) {
        ZooColumn column = columns.get(i);
        lines.add(start + column.name() + "=" + column.canonical(row.getString(i + 3)));
      }
      lines.add(start + "unavailable=" + row.getString(2));
    }
    return lines;
  }

  /**
   * Everything in the table, one line for each value, but for what is not a number: Kafka's JSON
   * converter reads that as 0, and a snapshot row's hash is made from it.
   */
  private static List<String> whole(Pipeline pipeline) {
    List<String> lines = new ArrayList<>();
    pipeline
        .sql("select to_json(struct(*)) from shop.zoo order by _cdc.partition, _cdc.offset")
        .forEach(
            row ->
                ZooColumn.lines(
                        row.getString(0).replaceFirst("\"content_hash\":\"[^\"]*\",", ""),
                        lines.size() + " ")
                    .forEach(lines::add));
    lines.removeIf(line -> line.contains(" nan="));
    return lines;
  }
}
