package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.keystore.CommitOutcome.Committed;
import io.onceberg.keystore.CommitOutcome.Fenced;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Date;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A target from its first sight on, with the tables as they are made for users. */
class TargetTest {
  private static final TargetSettings EVENTS =
      new TargetSettings(
          Lake.ORDERS,
          TargetKind.EVENTS,
          List.of("id"),
          List.of(),
          0,
          TargetSettings.NewColumns.APPEND,
          Map.of());
  private static final NestedField ID = NestedField.optional(1, "id", Types.LongType.get());
  private static final NestedField NOTE = NestedField.optional(2, "note", Types.StringType.get());

  @TempDir Path directory;

  private CatalogSettings catalog(String type) {
    return type.equals("jdbc") ? Lake.sqlite(directory) : Lake.hadoop(directory);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc", "hadoop"})
  void goesFromFirstSightToTheNextStart(String type) {
    Ledger ledger;
    try (Warehouse warehouse = Warehouse.open(catalog(type))) {
      Target target = warehouse.target(EVENTS);
      assertThat(target.ledger()).isEqualTo(Ledger.empty(0));
      assertThat(target.layout()).isEqualTo(TargetLayout.EMPTY);
      target.pin();
      target.evolve(List.of(schema(ID)));
      assertThat(target.layout().columns().fields()).extracting(NestedField::name).contains("id");

      assertThat(commit(target, 1, null)).isInstanceOf(Committed.class);
      assertThat(commit(target, 2, null)).isInstanceOf(Committed.class);
      target.evolve(List.of(schema(ID, NOTE)));
      assertThat(commit(target, 3, "noted")).isInstanceOf(Committed.class);
      assertThat(stored(target, 1, 2, 3, 4)).containsExactly(1L, 2L, 3L);
      ledger = target.ledger();
    }
    try (Warehouse warehouse = Warehouse.open(catalog(type))) {
      Target again = warehouse.target(EVENTS);
      assertThat(again.ledger()).isEqualTo(ledger);
      assertThat(again.ledger().progress(Lake.P0)).contains(new SourceProgress("topic-id", 3));
      assertThat(stored(again, 1, 2, 3, 4)).containsExactly(1L, 2L, 3L);
      assertThat(Lake.ids(warehouse.catalog().loadTable(Lake.ORDERS.rows())))
          .containsExactly(1L, 2L, 3L);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc", "hadoop"})
  void pinsWhatMaintenanceLeftBehind(String type) {
    try (Warehouse warehouse = Warehouse.open(catalog(type))) {
      Target target = started(warehouse);
      commit(target, 2, null);
      Table keys = warehouse.catalog().loadTable(Lake.ORDERS.keys());
      keys.rewriteManifests().clusterBy(file -> "one").commit();
      keys.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();

      assertThat(stored(target, 1, 2, 3)).containsExactly(1L, 2L);
      assertThat(commit(target, 3, null)).isInstanceOf(Committed.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc", "hadoop"})
  void keyFilesStayFewHoweverManyBatchesThereAre(String type) throws Exception {
    try (Warehouse warehouse = Warehouse.open(catalog(type))) {
      Target target = started(warehouse);
      long width = KeySettings.DEFAULT.mergeWidth();
      for (long id = 2; id <= 5 * width; id++) {
        assertThat(commit(target, id, null)).isInstanceOf(Committed.class);
        assertThat(keyFiles(warehouse)).isLessThanOrEqualTo(width);
      }
      assertThat(stored(target, 1, 2, 3 * width, 5 * width, 5 * width + 1)).hasSize(4);
      assertThat(Lake.ids(warehouse.catalog().loadTable(Lake.ORDERS.keys())))
          .containsExactlyElementsOf(LongStream.rangeClosed(1, 5 * width).boxed().toList());
    }
  }

  private static long keyFiles(Warehouse warehouse) throws IOException {
    Table keys = warehouse.catalog().loadTable(Lake.ORDERS.keys());
    try (var files = keys.newScan().planFiles()) {
      return StreamSupport.stream(files.spliterator(), false).count();
    }
  }

  /** As after an hour's work of a daemon whose clock was an hour ahead, and has been set right. */
  @Fault(
      area = Area.COMMIT,
      what = "the clock is set back, or was ahead at an earlier commit",
      outcome = "OB-510: waits until the clock has passed the last commit; nothing is half done")
  @ParameterizedTest(name = "{0} catalog")
  @ValueSource(strings = {"jdbc", "hadoop"})
  void waitsWhileTheClockIsBehindTheTables(String type) {
    try (Warehouse warehouse = Warehouse.open(catalog(type))) {
      Target target = started(warehouse);
      Ledger before = target.ledger();
      dateAhead(warehouse.catalog().loadTable(Lake.ORDERS.keys()), Duration.ofMinutes(3));
      fails(target::pin, ErrorCode.CLOCK_BEHIND);
      fails(target::pin, ErrorCode.CLOCK_BEHIND);
      assertThat(target.ledger()).isEqualTo(before);
      dateAhead(warehouse.catalog().loadTable(Lake.ORDERS.keys()), Duration.ofSeconds(-150));
      assertThat(commit(target, 2, null)).isInstanceOf(Committed.class);
      assertThat(stored(target, 1, 2, 3)).containsExactly(1L, 2L);
    }
  }

  /** Dates a table's last change otherwise, in the metadata as it is stored. */
  private static void dateAhead(Table table, Duration by) {
    TableOperations operations = ((HasTableOperations) table).operations();
    TableMetadata now = operations.current();
    String json =
        TableMetadataParser.toJson(now)
            .replace(
                "\"last-updated-ms\":" + now.lastUpdatedMillis(),
                "\"last-updated-ms\":" + (now.lastUpdatedMillis() + by.toMillis()));
    operations.commit(now, TableMetadataParser.fromJson(now.metadataFileLocation(), json));
  }

  @Fault(
      area = Area.COMMIT,
      what = "someone else commits after our batch was planned",
      outcome = "fenced before anything is written")
  @Test
  void saysBeforeTheBatchThatItsPlanIsOutOfDate() {
    try (Warehouse warehouse = Warehouse.open(catalog("jdbc"))) {
      Target slow = started(warehouse);
      commit(warehouse.target(EVENTS), 2, null);
      fails(slow::pin, ErrorCode.FENCED);
      assertThat(commit(slow, 3, null)).isInstanceOf(Committed.class);
    }
  }

  @Fault(area = Area.COMMIT, what = "a batch is fenced", outcome = "its files are deleted")
  @Test
  void deletesTheFilesOfAFencedBatch() {
    try (Warehouse warehouse = Warehouse.open(catalog("jdbc"))) {
      Target slow = started(warehouse);
      Target fast = warehouse.target(EVENTS);
      StagedFiles files = write(slow.pin(), 5, null);
      commit(fast, 6, null);
      commit(fast, 7, null);

      Lake.Batch batch = Lake.batch(slow.ledger(), 2);
      assertThat(slow.commit(batch.id(), batch.after(), files)).isInstanceOf(Fenced.class);
      slow.discard(files);
      assertThat(files.rows()).noneMatch(f -> Files.exists(Path.of(f.location())));
      slow.refresh();
      assertThat(slow.ledger()).isEqualTo(fast.ledger());
      assertThat(commit(slow, 5, null)).isInstanceOf(Committed.class);
    }
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "a table of a target is dropped between two batches",
      outcome = "OB-402, the target stops",
      cases = Case.A10)
  @ParameterizedTest(name = "{0} catalog")
  @ValueSource(strings = {"jdbc", "hadoop"})
  void stopsWhenATableIsDroppedWhileItRuns(String type) {
    try (Warehouse warehouse = Warehouse.open(catalog(type))) {
      Target target = started(warehouse);
      StagedFiles files = write(target.pin(), 5, null);
      Ledger before = target.ledger();
      Lake.Batch batch = Lake.batch(before, 1);
      warehouse.catalog().dropTable(Lake.ORDERS.keys(), false);

      fails(() -> target.commit(batch.id(), batch.after(), files), ErrorCode.TABLE_MISSING);
      fails(target::refresh, ErrorCode.TABLE_MISSING);
      assertThat(target.ledger()).isEqualTo(before);
    }
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "a column is dropped between two batches",
      outcome = "OB-403, the target stops",
      cases = Case.A10)
  @Test
  void stopsWhenAColumnIsLostWhileItRuns() {
    try (Warehouse warehouse = Warehouse.open(catalog("jdbc"))) {
      Target target = started(warehouse);
      StagedFiles files = write(target.pin(), 5, null);
      Ledger before = target.ledger();
      Lake.Batch batch = Lake.batch(before, 1);
      Table rows = warehouse.catalog().loadTable(Lake.ORDERS.rows());
      rows.updateSchema().deleteColumn("id").commit();

      fails(() -> target.commit(batch.id(), batch.after(), files), ErrorCode.COLUMN_LOST);
      assertThat(target.ledger()).isEqualTo(before);
    }
  }

  private static Target started(Warehouse warehouse) {
    Target target = warehouse.target(EVENTS);
    target.evolve(List.of(schema(ID)));
    assertThat(commit(target, 1, null)).isInstanceOf(Committed.class);
    return target;
  }

  private static SourceSchema schema(NestedField... columns) {
    return new SourceSchema(Types.StructType.of(columns), Types.StructType.of(ID));
  }

  private static CommitOutcome commit(Target target, long id, @Nullable String note) {
    StagedFiles files = write(target.pin(), id, note);
    Lake.Batch batch = Lake.batch(target.ledger(), 1);
    return target.commit(batch.id(), batch.after(), files);
  }

  private static StagedFiles write(TaskTarget target, long id, @Nullable String note) {
    List<@Nullable Object> values = new ArrayList<>();
    values.add(id);
    if (target.rowType().fieldNames().length > 3) {
      values.add(note);
    }
    values.add(null);
    values.add(Date.valueOf(LocalDate.ofEpochDay(Lakehouse.TODAY)));
    Row row = RowFactory.create(values.toArray());
    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 0);
    writer.writeRow(Lakehouse.internal(target.rowType(), row));
    writer.writeKeys(List.of(identity(target, id)), new long[] {id});
    return writer.finish();
  }

  private static UnsafeRow identity(TaskTarget target, long id) {
    return Lakehouse.unsafe(target.identityType(), RowFactory.create(id));
  }

  private static List<Long> stored(Target target, long... ids) {
    TaskTarget pinned = target.pin();
    List<UnsafeRow> asked = new ArrayList<>();
    for (long id : ids) {
      asked.add(identity(pinned, id));
    }
    return pinned.lookup().find(asked).stored().stream().mapToObj(i -> ids[i]).toList();
  }

  private static void fails(ThrowingCallable action, ErrorCode code) {
    assertThatThrownBy(action)
        .isInstanceOfSatisfying(OncebergException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
