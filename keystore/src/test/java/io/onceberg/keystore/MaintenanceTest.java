package io.onceberg.keystore;

import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.keystore.CommitOutcome.Committed;
import java.sql.Date;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Iceberg's own procedures, called in Spark between batches and beside them. */
class MaintenanceTest {
  private static final int BATCH = 60;
  private static final String EXPIRE_ALL =
      ", older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1";

  private final Warehouse warehouse = Warehouse.open(Lakehouse.settings());
  private final Set<Long> stored = new TreeSet<>();

  @AfterEach
  void close() {
    warehouse.close();
  }

  /** A target whose batches hold old and new keys alike. */
  private final class Shop {
    final TargetSettings settings;
    final Target target;
    private long next;
    private int fenced;

    Shop(TargetKind kind) {
      this.settings = kind == TargetKind.EVENTS ? Lakehouse.events("id") : Lakehouse.changelog();
      this.target = warehouse.target(settings);
      Types.StructType id = Types.StructType.of(optional(1, "id", Types.StringType.get()));
      target.evolve(List.of(new SourceSchema(id, id)));
    }

    private Row identity(long number) {
      String id = "key " + number * 0x9E3779B97F4A7C15L;
      return settings.kind() == TargetKind.EVENTS
          ? RowFactory.create(id)
          : RowFactory.create(1, "s", number, 1L, "c", RowFactory.create(id), null, null);
    }

    void batches(int count) {
      for (int i = 0; i < count; i++) {
        batch(() -> {});
      }
    }

    /** Asks for the keys of a batch, half of them stored, and stores the others. */
    void batch(Runnable meanwhile) {
      long from = Math.max(0, next - BATCH / 2 - 7 * BATCH * (next % 3));
      List<Long> numbers =
          LongStream.concat(
                  LongStream.range(from, from + BATCH / 2),
                  LongStream.range(next, next + BATCH / 2))
              .distinct()
              .boxed()
              .toList();
      next += BATCH / 2;
      if (!landed(numbers, meanwhile)) {
        fenced++;
        target.refresh();
        assertThat(landed(numbers, () -> {})).isTrue();
      }
    }

    /** False when it was fenced. */
    private boolean landed(List<Long> numbers, Runnable meanwhile) {
      TaskTarget pinned = target.pin();
      Function<Row, UnsafeRow> unsafe = Lakehouse.unsafeRows(pinned.identityType());
      List<UnsafeRow> asked = numbers.stream().map(n -> unsafe.apply(identity(n))).toList();
      KeyHits hits = pinned.lookup().find(asked);
      List<Long> novel = new ArrayList<>();
      for (int i = 0; i < numbers.size(); i++) {
        assertThat(hits.stored().get(i)).isEqualTo(stored.contains(numbers.get(i)));
        if (!hits.stored().get(i)) {
          novel.add(numbers.get(i));
        }
      }
      StagedFiles files = write(pinned, 0, novel).plus(write(pinned, 1, novel));
      meanwhile.run();
      Lake.Batch batch = Lake.batch(target.ledger(), BATCH);
      CommitOutcome outcome = target.commit(batch.id(), batch.after(), files);
      if (outcome instanceof CommitOutcome.Fenced) {
        return false;
      }
      assertThat(outcome).isInstanceOf(Committed.class);
      stored.addAll(novel);
      return true;
    }

    private StagedFiles write(TaskTarget pinned, int task, List<Long> novel) {
      TargetWriter writer = pinned.writer(Lakehouse.TODAY, task, task);
      Function<Row, UnsafeRow> unsafe = Lakehouse.unsafeRows(pinned.identityType());
      List<UnsafeRow> keys = new ArrayList<>();
      for (int i = task; i < novel.size(); i += 2) {
        keys.add(unsafe.apply(identity(novel.get(i))));
        Date day = Date.valueOf(LocalDate.ofEpochDay(Lakehouse.TODAY));
        writer.writeRow(
            Lakehouse.internal(
                pinned.rowType(), RowFactory.create("row " + novel.get(i), null, day)));
      }
      writer.writeKeys(keys, new long[keys.size()]);
      return writer.finish();
    }

    void call(String procedure, String suffix, String more) {
      Lakehouse.sql(
          "CALL onceberg.system.%s(table => '%s%s'%s)"
              .formatted(procedure, settings.name(), suffix, more));
    }

    void rewriteKeys() {
      call("rewrite_data_files", "_keys", ", options => map('rewrite-all', 'true')");
    }

    void rewriteRows() {
      call("rewrite_data_files", "", ", options => map('rewrite-all', 'true')");
    }

    List<Runnable> maintenance() {
      return List.of(
          this::rewriteKeys,
          this::rewriteRows,
          () -> call("rewrite_manifests", "_keys", ""),
          () -> call("expire_snapshots", "_keys", EXPIRE_ALL),
          () -> call("expire_snapshots", "", EXPIRE_ALL));
    }

    void check() {
      TaskTarget pinned = target.pin();
      Function<Row, UnsafeRow> unsafe = Lakehouse.unsafeRows(pinned.identityType());
      List<UnsafeRow> asked =
          LongStream.range(0, next + BATCH).mapToObj(n -> unsafe.apply(identity(n))).toList();
      assertThat(pinned.lookup().find(asked).stored().stream().asLongStream().boxed())
          .containsExactlyElementsOf(stored);
      for (String suffix : List.of("", "_keys")) {
        assertThat(
                Lakehouse.sql("SELECT count(*) FROM onceberg." + settings.name() + suffix)
                    .get(0)
                    .getLong(0))
            .isEqualTo(stored.size());
      }
      assertThat(
              Lakehouse.sql("SELECT count(distinct id) FROM onceberg." + settings.name())
                  .get(0)
                  .getLong(0))
          .isEqualTo(stored.size());
    }

    long keyFiles() {
      return Lakehouse.sql("SELECT count(*) FROM onceberg.%s_keys.files".formatted(settings.name()))
          .get(0)
          .getLong(0);
    }
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "Iceberg's procedures between batches: compaction, expiry, orphan files, rollback",
      cases = Case.A9)
  @ParameterizedTest(name = "{0}")
  @EnumSource
  void betweenBatches(TargetKind kind) {
    Shop shop = new Shop(kind);
    shop.batches(6);
    shop.rewriteKeys();
    assertThat(shop.keyFiles()).isEqualTo(1);
    shop.batches(2);
    shop.call(
        "rewrite_data_files",
        "_keys",
        ", strategy => 'sort', options => map('rewrite-all', 'true')");
    shop.batches(2);
    shop.rewriteRows();
    shop.call("rewrite_manifests", "_keys", "");
    shop.call("rewrite_manifests", "", "");
    shop.batches(2);
    for (String suffix : List.of("_keys", "")) {
      shop.call("expire_snapshots", suffix, EXPIRE_ALL);
    }
    shop.check();
    shop.batches(3 * KeySettings.DEFAULT.mergeWidth());
    assertThat(shop.keyFiles()).isLessThanOrEqualTo(2L * KeySettings.DEFAULT.mergeWidth());
    shop.check();
  }

  /** Everything that can happen after a batch was written and before it is committed. */
  @Fault(
      area = Area.MAINTENANCE,
      what = "Iceberg's procedures after a batch was written and before its commit",
      outcome = "committed on the new base, or fenced and built again; nothing lost, nothing twice",
      cases = Case.A9)
  @ParameterizedTest(name = "{0}")
  @EnumSource
  void whileABatchIsUnderWay(TargetKind kind) {
    Shop shop = new Shop(kind);
    shop.batches(5);
    for (Runnable meanwhile : shop.maintenance()) {
      shop.batch(meanwhile);
      shop.batches(3);
    }
    assertThat(shop.fenced).isZero();
    // what it was built on is no longer there
    shop.batch(() -> shop.maintenance().forEach(Runnable::run));
    assertThat(shop.fenced).isEqualTo(1);
    shop.check();
  }

  /** Both at once: who loses a race tries again, the procedures by failing. */
  @Fault(
      area = Area.MAINTENANCE,
      what = "Iceberg's procedures at the same time as batches",
      cases = Case.A9)
  @ParameterizedTest(name = "{0}")
  @EnumSource
  void besideBatches(TargetKind kind) throws Exception {
    Shop shop = new Shop(kind);
    shop.batches(5);
    AtomicInteger succeeded = new AtomicInteger();
    AtomicBoolean ended = new AtomicBoolean();
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      Future<?> maintenance = other.submit(() -> maintain(shop, succeeded, ended));
      for (int n = 0; n < 30 || (n < 100 && succeeded.get() < 3 && !maintenance.isDone()); n++) {
        shop.batch(() -> {});
      }
      ended.set(true);
      maintenance.get();
    } finally {
      other.shutdownNow();
    }
    shop.check();
  }

  private static void maintain(Shop shop, AtomicInteger succeeded, AtomicBoolean ended) {
    List<Runnable> all = shop.maintenance();
    for (int n = 0; !ended.get(); n++) {
      try {
        all.get(n % all.size()).run();
        succeeded.incrementAndGet();
      } catch (RuntimeException e) {
        // a batch was faster; this is how Iceberg's procedures say it
        assertThat(e)
            .satisfiesAnyOf(
                lost -> assertThat(lost).isInstanceOf(CommitFailedException.class),
                lost -> assertThat(lost).hasMessageContaining("commit"),
                lost -> assertThat(lost).hasMessageContaining("Missing required files"),
                lost -> assertThat(lost).hasMessageContaining("Deleted manifest"));
      }
    }
  }
}
