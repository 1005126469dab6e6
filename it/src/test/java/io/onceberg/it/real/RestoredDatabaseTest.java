package io.onceberg.it.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.onceberg.it.engine.Pipeline;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.stack.LocalPostgres;
import io.onceberg.it.stack.SharedStack;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database is lost and a copy of its files, made earlier, takes its place: LSNs start again. */
class RestoredDatabaseTest {
  private static final String NAME = SharedStack.uniqueName("restored");
  private static final String TOPIC = NAME + ".public.orders";
  private static final int ROWS = 10;

  @TempDir private Path home;

  @Fault(
      area = Area.SOURCE,
      what = "PostgreSQL fails over to a restored copy: LSNs and transactions start again",
      outcome = "with source.epoch raised both histories are there, whole; nothing is a replay")
  @Test
  void bothHistoriesAreKeptUnderTwoEpochs() throws Exception {
    try (LocalPostgres postgres = LocalPostgres.start(home.resolve("postgres"))) {
      postgres.createDatabase(NAME);
      execute(
          postgres,
          "create table orders (id bigint primary key, note text)",
          "insert into orders values (0, 'before')");
      capture(postgres, "first", "initial", 1, () -> {});
      postgres.stop();
      copy("postgres/data", "backup");
      postgres.restart();
      capture(postgres, "first", "initial", 1 + ROWS, () -> insert(postgres, "first"));
      Map<String, String> settings =
          Map.of(
              "topics", TOPIC,
              "key.converter.schemas.enable", "true",
              "value.converter.schemas.enable", "true");
      try (Pipeline pipeline = new Pipeline(home.resolve("tables"), settings)) {
        assertThat(pipeline.landed().rows()).isEqualTo(1 + ROWS);

        postgres.stop();
        run("rm", "-r", home.resolve("postgres/data").toString());
        copy("backup", "postgres/data");
        postgres.restart();
        execute(postgres, "select pg_drop_replication_slot('%s')".formatted(NAME));
        capture(postgres, "second", "no_data", 1 + 2 * ROWS, () -> insert(postgres, "second"));
        pipeline.restart(Map.of("source.epoch", "1"));
        assertThat(pipeline.landed().rows()).isEqualTo(ROWS);
        assertThat(pipeline.count("orders")).isEqualTo(1 + 2 * ROWS);
        assertThat(lsn(pipeline, "min", "second"))
            .as("a position of the second history")
            .isLessThanOrEqualTo(lsn(pipeline, "max", "first"));
      }
    }
  }

  private static long lsn(Pipeline pipeline, String which, String note) {
    return pipeline
        .sql(
            "SELECT CAST(%s(_cdc.position.lsn) AS BIGINT) FROM shop.orders WHERE note = '%s'"
                .formatted(which, note))
        .get(0)
        .getLong(0);
  }

  private interface Work {
    void run() throws SQLException;
  }

  /** Captures while work is done, until the topic has so many records; the position is stored. */
  private void capture(
      LocalPostgres postgres, String data, String snapshot, long records, Work work)
      throws SQLException {
    Map<String, String> settings = new TreeMap<>();
    settings.put("kafka.bootstrap.servers", SharedStack.kafka().bootstrapServers());
    settings.put("capture.data.dir", home.resolve(data).toString());
    settings.put("debezium.topic.prefix", NAME);
    settings.put("debezium.slot.name", NAME);
    settings.put("debezium.publication.name", NAME);
    settings.put("debezium.snapshot.mode", snapshot);
    settings.put("debezium.poll.interval.ms", "50");
    settings.put("debezium.database.hostname", "127.0.0.1");
    settings.put("debezium.database.port", String.valueOf(postgres.port()));
    settings.put("debezium.database.user", postgres.user());
    settings.put("debezium.database.password", postgres.password());
    settings.put("debezium.database.dbname", NAME);
    try (InProcessCapture capture = InProcessCapture.start(settings)) {
      await("the slot in use").atMost(Duration.ofSeconds(60)).until(() -> isSlotActive(postgres));
      work.run();
      capture.awaitRecords("orders", records);
    }
  }

  private static boolean isSlotActive(LocalPostgres postgres) throws SQLException {
    try (Connection connection = postgres.connect(NAME);
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery("select count(*) from pg_replication_slots where active")) {
      return result.next() && result.getLong(1) == 1;
    }
  }

  private static void insert(LocalPostgres postgres, String note) throws SQLException {
    for (int i = 1; i <= ROWS; i++) {
      execute(postgres, "insert into orders values (%d, '%s')".formatted(i, note));
    }
  }

  private static void execute(LocalPostgres postgres, String... statements) throws SQLException {
    try (Connection connection = postgres.connect(NAME);
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }

  /** With owners and rights, as a backup of files keeps them. */
  private void copy(String from, String to) throws IOException, InterruptedException {
    run("cp", "-a", home.resolve(from).toString(), home.resolve(to).toString());
  }

  private static void run(String... command) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor())
        .as(String.join(" ", command))
        .isZero();
  }
}
