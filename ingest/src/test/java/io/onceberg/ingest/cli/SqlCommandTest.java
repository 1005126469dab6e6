package io.onceberg.ingest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.sink.SparkSessions;
import io.onceberg.keystore.Warehouse;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person meets who looks before there is anything, or in the wrong place. */
class SqlCommandTest {
  @TempDir private Path dir;
  private Path warehouse = Path.of("");
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void notThereYet() {
    warehouse = dir.resolve("not/there");
  }

  @Test
  void aWarehouseThatIsNotThereIsNamedAndNotMade() throws IOException {
    assertRefused(
        15,
        sql(""),
        "OB-509 CATALOG_MISSING",
        warehouse + "/catalog.db",
        "onceberg run",
        "catalog.uri");
    assertRefused(
        15,
        sql("catalog.type=hadoop"),
        "OB-509 CATALOG_MISSING",
        dir.resolve("not/there").toString());
    assertThat(warehouse.getParent()).doesNotExist();
    Files.createDirectories(warehouse);
    assertRefused(15, sql(""), "OB-509 CATALOG_MISSING", warehouse + "/catalog.db");
    assertThat(warehouse).isEmptyDirectory();
  }

  @Test
  void aDatabaseThatHoldsNoCatalogIsLeftAsItIs() throws IOException {
    Files.createDirectories(warehouse);
    Path file = Files.createFile(warehouse.resolve("catalog.db"));
    assertRefused(15, sql(""), "OB-509 CATALOG_MISSING", "holds no catalog yet");
    Files.writeString(file, "no database, however long one reads in it. ".repeat(99));
    assertRefused(15, sql(""), "OB-502 CATALOG_REFUSED");
  }

  @Test
  void aServerThatDoesNotAnswerIsToldFromOneThatIsUnknown() throws IOException {
    assertRefused(
        15,
        sql("catalog.uri=jdbc:postgresql://127.0.0.1:1/lake"),
        "OB-501 CATALOG_UNREACHABLE",
        "127.0.0.1:1");
    assertRefused(
        15, sql("catalog.uri=jdbc:nothing:here"), "OB-502 CATALOG_REFUSED", "jdbc:nothing:here");
    assertRefused(
        15, sql("catalog.type=rest\ncatalog.uri=http://127.0.0.1:1"), "OB-501 CATALOG_UNREACHABLE");
  }

  @Test
  void aCatalogWithoutTheTableSaysWhenItComes() throws IOException {
    Warehouse.open(DaemonConfig.catalogOf(Map.of("catalog.warehouse", warehouse.toString())))
        .close();
    for (String query :
        new String[] {"show tables", "select * from orders", "select * from cdc.orders"}) {
      assertRefused(
          11, sql("", query), "OB-105 QUERY_REFUSED", "no namespace cdc yet", "first event");
    }
    try (SparkSession spark =
        SparkSessions.open(
            DaemonConfig.catalogOf(Map.of("catalog.warehouse", warehouse.toString())), Map.of())) {
      spark.sql("create namespace cdc");
      spark.sql("create table cdc.notes (n int) using iceberg");
      spark.sql("insert into cdc.notes values (1)");
    }
    assertRefused(
        11,
        sql("", "select * from orders"),
        "OB-105 QUERY_REFUSED",
        "orders",
        "first event",
        "show tables");
    assertRefused(11, sql("", "selekt 1"), "OB-105 QUERY_REFUSED", "Syntax error");
    assertRefused(11, sql("", "select 1 / 0"), "OB-105 QUERY_REFUSED", "DIVIDE_BY_ZERO");
    assertThat(sql("", "show tables")).isZero();
    assertThat(sql("", "select 41 + 1 as answer")).isZero();
    assertThat(out.toString()).contains("42");
    assertNothingChanges();
  }

  private void assertNothingChanges() throws IOException {
    for (String change :
        new String[] {
          "delete from notes",
          "update notes set n = 2",
          "insert into notes values (2)",
          "insert overwrite notes values (2)",
          "with t as (select 2 as n) insert into notes select n from t",
          "from notes insert into notes select n",
          "merge into notes a using notes b on a.n = b.n when matched then delete",
          "drop table notes",
          "truncate table notes",
          "alter table notes add column m int",
          "create table other (n int) using iceberg",
          "execute immediate 'delete from notes'",
          "begin delete from notes; end",
          "set spark.sql.ansi.enabled = false",
          "call onceberg.system.rollback_to_snapshot('cdc.notes', 1)",
          "insert overwrite directory '%s' using parquet select 1".formatted(dir.resolve("out")),
        }) {
      assertRefused(11, sql("", change), "OB-105 QUERY_REFUSED", "only reads");
    }
    for (String look :
        new String[] {
          "describe table notes",
          "explain select * from notes",
          "show create table notes",
          "with t as (select * from notes) select n from t union all values (3)",
          "values (1)",
          "/* a comment */ (select 1) -- another",
          "table notes"
        }) {
      assertThat(sql("", look)).as(err.toString()).isZero();
    }
    out.getBuffer().setLength(0);
    assertThat(
            sql(
                "",
                "select sum(n) as total, count(*) as many from cdc.notes.snapshots cross join notes"))
        .as(err.toString())
        .isZero();
    assertThat(out.toString()).contains("1");
    assertThat(dir.resolve("out")).doesNotExist();
  }

  private void assertRefused(int expected, int status, String... said) {
    assertThat(err.toString()).contains(said).contains("docs/runbook.md").doesNotContain("\tat ");
    assertThat(status).as(err.toString()).isEqualTo(expected);
    err.getBuffer().setLength(0);
  }

  private int sql(String settings) throws IOException {
    return sql(settings, "select 1");
  }

  private int sql(String settings, String query) throws IOException {
    Path file = dir.resolve("onceberg.properties");
    Files.writeString(file, "catalog.warehouse=%s\n%s\n".formatted(warehouse, settings));
    return Onceberg.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute("sql", "--config", file.toString(), query);
  }
}
