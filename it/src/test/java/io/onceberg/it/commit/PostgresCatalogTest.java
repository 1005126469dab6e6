package io.onceberg.it.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.stack.LocalPostgres;
import io.onceberg.keystore.BatchId;
import io.onceberg.keystore.CatalogSettings;
import io.onceberg.keystore.CommitOutcome;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.StagedFiles;
import io.onceberg.keystore.Target;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.TargetSettings;
import io.onceberg.keystore.Warehouse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The SQL transaction on a real Postgres. */
class PostgresCatalogTest {
  private static final SourcePartition P0 = new SourcePartition("orders", 0);

  @TempDir static Path directory;
  private static LocalPostgres postgres;

  @BeforeAll
  static void start() {
    postgres = LocalPostgres.start();
    postgres.createDatabase("lake");
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  private static CatalogSettings catalog(Map<String, String> more) {
    Map<String, String> properties = new HashMap<>();
    properties.put("type", "jdbc");
    properties.put("uri", postgres.jdbcUrl("lake"));
    properties.put("jdbc.user", postgres.user());
    properties.put("jdbc.password", postgres.password());
    properties.put("warehouse", directory.resolve("warehouse").toString());
    properties.putAll(more);
    return new CatalogSettings("lake", properties, CatalogSettings.RequiredAtomicity.REQUIRED);
  }

  private static TargetSettings settings(String table) {
    return new TargetSettings(
        new TargetName("db", table),
        TargetKind.CHANGELOG,
        List.of(),
        List.of(),
        0,
        TargetSettings.NewColumns.APPEND,
        Map.of());
  }

  @Fault(
      area = Area.COMMIT,
      what = "two daemons commit to one target, the catalog on PostgreSQL",
      outcome = "the slower is fenced")
  @Test
  void movesTheTablesTogetherAndFencesTheSlower() {
    try (Warehouse warehouse = Warehouse.open(catalog(Map.of()))) {
      Target fast = warehouse.target(settings("orders"));
      fast.pin();
      Target slow = warehouse.target(settings("orders"));
      slow.pin();
      for (int i = 0; i < 3; i++) {
        assertThat(next(fast, 1)).isInstanceOf(CommitOutcome.Committed.class);
      }
      assertThat(next(slow, 2)).isInstanceOf(CommitOutcome.Fenced.class);
      slow.refresh();
      assertThat(slow.ledger()).isEqualTo(fast.ledger());
      assertThat(warehouse.target(settings("orders")).ledger()).isEqualTo(fast.ledger());
    }
  }

  @Fault(
      area = Area.OUT_OF_REACH,
      what = "the catalog database is restarted between two commits",
      outcome = "the next commit goes through")
  @Test
  void goesOnAfterTheServerWasRestarted() {
    try (Warehouse warehouse = Warehouse.open(catalog(Map.of()))) {
      Target target = warehouse.target(settings("restarted"));
      target.pin();
      next(target, 1);
      postgres.kill();
      assertThatThrownBy(target::refresh)
          .isInstanceOfSatisfying(
              OncebergException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.CATALOG_UNREACHABLE));
      Ledger before = target.ledger();
      CommitOutcome down = next(target, 1);
      assertThat(down).isInstanceOf(CommitOutcome.InDoubt.class);
      postgres.restart();
      target.refresh();
      assertThat(target.ledger()).isEqualTo(before);
      assertThat(next(target, 1)).isInstanceOf(CommitOutcome.Committed.class);
    }
  }

  @Fault(
      area = Area.OUT_OF_REACH,
      what = "the catalog refuses the password",
      outcome = "OB-502, the daemon stops")
  @Test
  void refusesAWrongPassword() {
    assertThatThrownBy(() -> Warehouse.open(catalog(Map.of("jdbc.user", "nobody"))).close())
        .isInstanceOfSatisfying(
            OncebergException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.CATALOG_REFUSED));
  }

  /** Who only looks makes nothing, and is told what is wrong. */
  @Test
  void looksWithoutMakingACatalog() {
    postgres.createDatabase("empty");
    String empty = postgres.jdbcUrl("empty");
    looks(Map.of("uri", empty), ErrorCode.CATALOG_MISSING, empty);
    looks(Map.of("uri", empty), ErrorCode.CATALOG_MISSING, empty);
    looks(Map.of("jdbc.password", "wrong"), ErrorCode.CATALOG_REFUSED, "password");
    looks(Map.of("uri", postgres.jdbcUrl("none")), ErrorCode.CATALOG_REFUSED, "none");
    Warehouse.open(catalog(Map.of("uri", empty))).close();
    Warehouse.look(catalog(Map.of("uri", empty)));
    postgres.kill();
    looks(Map.of("uri", empty), ErrorCode.CATALOG_UNREACHABLE, String.valueOf(postgres.port()));
    postgres.restart();
  }

  private static void looks(Map<String, String> more, ErrorCode code, String said) {
    assertThatThrownBy(() -> Warehouse.look(catalog(more)))
        .hasMessageContaining(said)
        .isInstanceOfSatisfying(OncebergException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private static CommitOutcome next(Target target, int offsets) {
    Ledger ledger = target.ledger();
    long from = ledger.progress(P0).map(p -> p.nextOffset()).orElse(0L);
    List<SourceRange> ranges = List.of(new SourceRange(P0, "topic-id", from, from + offsets));
    BatchId batch = ledger.nextBatch(ranges);
    return target.commit(batch, ledger.advance(batch, ranges), StagedFiles.NONE);
  }
}
