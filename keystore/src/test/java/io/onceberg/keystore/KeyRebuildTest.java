package io.onceberg.keystore;

import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.CommitOutcome.Committed;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Date;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Making keys again with little memory, and while batches land. What users do is in {@code it}. */
class KeyRebuildTest {
  @TempDir private Path directory;
  private Warehouse warehouse = Warehouse.open(Lakehouse.settings());
  private TargetSettings settings = Lakehouse.events("id");
  private Target target = warehouse.target(settings);

  /** The identities and days of the rows that were committed first. */
  private final Map<String, Integer> stored = new TreeMap<>();

  private int looks;
  private Runnable whenLooking = () -> {};
  private Runnable whenReading = () -> {};

  @BeforeEach
  void create() {
    open(Lakehouse.settings());
  }

  private void open(CatalogSettings catalog) {
    warehouse.close();
    warehouse = Warehouse.open(catalog);
    settings = Lakehouse.events("id");
    target = warehouse.target(settings);
    evolve("id");
  }

  private void evolve(String column) {
    Types.StructType columns = Types.StructType.of(optional(1, column, Types.StringType.get()));
    target.evolve(List.of(new SourceSchema(columns, null)));
  }

  @AfterEach
  void close() {
    warehouse.close();
  }

  private TableSchemas schemas() {
    return new TableSchemas(warehouse.catalog(), settings);
  }

  private static String id(long number) {
    return "key " + number * 0x9E3779B97F4A7C15L;
  }

  private static long payload(String id) {
    return id.hashCode();
  }

  /** Commits rows and keys, whether they are there already or not. */
  private void batch(int day, long from, long until) {
    target.refresh();
    StagedFiles files = write(day, from, until);
    Lake.Batch batch = Lake.batch(target.ledger(), 1);
    assertThat(target.commit(batch.id(), batch.after(), files)).isInstanceOf(Committed.class);
  }

  private StagedFiles write(int day, long from, long until) {
    TaskTarget pinned = target.pin();
    TargetWriter writer = pinned.writer(day, 99, 0);
    List<UnsafeRow> keys = new ArrayList<>();
    List<String> ids = LongStream.range(from, until).mapToObj(KeyRebuildTest::id).toList();
    for (String id : ids) {
      Object[] row = new Object[pinned.rowType().size()];
      row[0] = id;
      row[row.length - 1] = Date.valueOf(LocalDate.ofEpochDay(day));
      writer.writeRow(Lakehouse.internal(pinned.rowType(), RowFactory.create(row)));
      keys.add(Lakehouse.unsafe(pinned.identityType(), RowFactory.create(id)));
      stored.putIfAbsent(id, day);
    }
    writer.writeKeys(keys, ids.stream().mapToLong(KeyRebuildTest::payload).toArray());
    return writer.finish();
  }

  /** Business keys of one column, which rows hold as they are. */
  private StoredIdentities identities(TaskTarget task) {
    UnsafeProjection projection = UnsafeProjection.create(task.identityType());
    return new StoredIdentities() {
      @Override
      public UnsafeRow identity(StoredRow row) {
        if (looks > 1) {
          whenReading.run();
        }
        return projection.apply(new GenericInternalRow(new Object[] {row.eventKey(0)}));
      }

      @Override
      public long payloadHash(StoredRow row) {
        return payload(String.valueOf(row.eventKey(0)));
      }
    };
  }

  private KeyRebuilt rebuild(int mostCollected, OptionalInt keptFrom) {
    looks = 0;
    return new KeyRebuild(
            () -> {
              looks++;
              whenLooking.run();
              return schemas().load().orElseThrow();
            },
            settings,
            this::identities,
            keptFrom,
            mostCollected,
            KeyProgress.NONE)
        .run();
  }

  private KeyRebuilt rebuild() {
    return rebuild(100, OptionalInt.empty());
  }

  private Table keys() {
    return warehouse.catalog().loadTable(settings.name().keys());
  }

  private void loseKeys() {
    keys().newDelete().deleteFromRowFilter(Expressions.alwaysTrue()).commit();
  }

  private void check() {
    Map<String, Integer> found = new TreeMap<>();
    int count = 0;
    try (CloseableIterable<Record> records = IcebergGenerics.read(keys()).build()) {
      for (Record key : records) {
        String id = (String) key.getField("id");
        assertThat(key.getField("payload_hash")).isEqualTo(payload(id));
        found.put(id, (int) ((LocalDate) key.getField("loaded_date")).toEpochDay());
        count++;
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    assertThat(found.keySet()).isEqualTo(stored.keySet());
    assertThat(count).as("each once").isEqualTo(stored.size());
    target.refresh();
    TaskTarget pinned = target.pin();
    List<UnsafeRow> asked =
        stored.keySet().stream()
            .map(id -> Lakehouse.unsafe(pinned.identityType(), RowFactory.create(id)))
            .toList();
    assertThat(pinned.lookup().find(asked).stored().cardinality()).isEqualTo(stored.size());
  }

  private List<String> filesOnDisk() {
    return Lake.filesUnder(Path.of(keys().location().replaceFirst("^file:(//)?", "")), ".parquet");
  }

  private List<String> filesNamed() {
    return Lake.filesNamed(keys()).stream().filter(f -> f.endsWith(".parquet")).toList();
  }

  /** Seven keys at a time are far more runs of a day than are merged side by side. */
  @ParameterizedTest
  @ValueSource(ints = {7, 100, 100_000})
  void needsNoMoreMemoryThanItIsGiven(int mostCollected) {
    for (int day = 0; day < 3; day++) {
      for (int batch = 0; batch < 4; batch++) {
        long from = 400L * day + 100L * batch;
        batch(Lakehouse.TODAY + day, from, from + 100);
      }
    }
    loseKeys();
    KeyRebuilt rebuilt = rebuild(mostCollected, OptionalInt.empty());
    check();
    assertThat(rebuilt.keys()).isEqualTo(1_200);
    assertThat(rebuilt.files()).as("one of each day").isEqualTo(3);
    assertThat(rebuilt.repeated()).isZero();
    assertThat(filesOnDisk()).as("no run is left").containsExactlyElementsOf(filesNamed());
  }

  /**
   * Within what is collected, across it, and across days: each identity once, the others counted.
   */
  @Test
  void identitiesThatRowsShareAreCounted() {
    batch(Lakehouse.TODAY, 0, 150);
    batch(Lakehouse.TODAY, 140, 200);
    batch(Lakehouse.TODAY + 1, 195, 300);
    batch(Lakehouse.TODAY + 2, 0, 20);
    for (int mostCollected : new int[] {13, 100_000}) {
      KeyRebuilt rebuilt = rebuild(mostCollected, OptionalInt.empty());
      check();
      assertThat(rebuilt.repeated()).isEqualTo(10 + 5 + 20);
      assertThat(rebuilt.examples()).hasSize(10);
    }
  }

  @Test
  void batchesThatLandMeanwhileAreTakenIn() {
    batch(Lakehouse.TODAY, 0, 150);
    loseKeys();
    whenLooking =
        () -> {
          if (looks == 2) {
            batch(Lakehouse.TODAY, 150, 200);
          }
        };
    int[] last = {1};
    // after the look at the tables and before the commit, which is lost each time
    whenReading =
        () -> {
          if (looks > last[0] && looks < 5) {
            last[0] = looks;
            batch(Lakehouse.TODAY + 1, 1_000L * looks, 1_000L * looks + 10);
          }
        };
    KeyRebuilt rebuilt = rebuild();
    assertThat(rebuilt.keys()).isEqualTo(230);
    assertThat(looks).as("three commits were lost").isEqualTo(5);
    check();
    whenLooking = () -> {};
    batch(Lakehouse.TODAY + 1, 5_000, 5_010);
    check();
  }

  /** Then all is read again. */
  @Test
  void columnsThatAreAddedMeanwhileAreNoObstacle() {
    batch(Lakehouse.TODAY, 0, 150);
    loseKeys();
    whenLooking =
        () -> {
          if (looks == 2) {
            evolve("more");
            batch(Lakehouse.TODAY, 150, 200);
          }
        };
    assertThat(rebuild().keys()).isEqualTo(200);
    check();
    assertThat(filesOnDisk()).containsExactlyElementsOf(filesNamed());
  }

  @Test
  void daysThatAreNotKeptAreLeftOut() {
    batch(Lakehouse.TODAY, 0, 50);
    batch(Lakehouse.TODAY + 5, 50, 100);
    KeyRebuilt kept = rebuild(100, OptionalInt.of(Lakehouse.TODAY + 5));
    assertThat(kept.keys()).isEqualTo(50);
    assertThat(kept.droppedBefore()).isEqualTo(LocalDate.ofEpochDay(Lakehouse.TODAY + 5));
    assertThat(keys().properties().get(TableMarks.DROPPED_BEFORE))
        .isEqualTo(LocalDate.ofEpochDay(Lakehouse.TODAY + 5).toString());
    KeyRebuilt nothingOlder = rebuild(100, OptionalInt.of(Lakehouse.TODAY));
    assertThat(nothingOlder.keys()).isEqualTo(100);
    assertThat(nothingOlder.droppedBefore()).isNull();
    assertThat(keys().properties()).doesNotContainKey(TableMarks.DROPPED_BEFORE);
    check();
  }

  @Test
  void beforeTheFirstBatchThereIsNothingToDo() {
    target.pin();
    assertThatThrownBy(this::rebuild)
        .isInstanceOfSatisfying(
            OncebergException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LEDGER_BROKEN));
  }

  /** A catalog that moves one table at a time, and a process that died between two of them. */
  @Test
  void aHalfRollForwardIsCompletedFirst() {
    open(Lake.hadoop(directory));
    batch(Lakehouse.TODAY, 0, 50);
    StagedFiles files = write(Lakehouse.TODAY, 50, 60);
    Standing base = Standing.of(schemas().load().orElseThrow(), settings);
    DataFile quarantined = quarantined();
    files = files.plus(new StagedFiles(List.of(), List.of(), List.of(quarantined)));
    Lake.Batch batch = Lake.batch(base.ledger(), 1);
    String pending = PendingFiles.write(base.tables(), batch.id(), files);
    LedgerEntry entry = new LedgerEntry(batch.after(), pending);
    StagedTable rows =
        StagedTable.of(
            settings.name().rows(),
            base.tables().rows(),
            FileChange.append(files.rows()),
            LedgerCodec.summary(entry),
            Map.of(LedgerCodec.PROPERTY, LedgerCodec.property(entry)),
            SnapshotRetention.ALL);
    rows.operations().catalog().commit(rows.operations().catalog().current(), rows.next());

    assertThat(rebuild().keys()).isEqualTo(60);
    check();
    assertThat(target.ledger()).isEqualTo(batch.after());
    Table quarantine = warehouse.catalog().loadTable(settings.name().quarantine());
    assertThat(quarantine.currentSnapshot().summary()).containsEntry("total-records", "1");
    batch(Lakehouse.TODAY, 60, 70);
    check();
  }

  private DataFile quarantined() {
    TargetWriter writer = target.pin().writer(Lakehouse.TODAY, 1, 1);
    writer.writeQuarantined(
        new QuarantinedRecord(
            new byte[16], ErrorCode.UNDECODABLE, "", "t", "id", 0, 0, 0, null, null));
    return writer.finish().quarantine().get(0);
  }
}
