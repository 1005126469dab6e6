package io.onceberg.keystore;

import static org.apache.iceberg.types.Types.NestedField.optional;

import io.onceberg.keystore.CommitOutcome.Committed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Date;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Many tiny batches into one real target, and what they leave; run by hand for thousands. */
final class SmallBatches implements AutoCloseable {
  static final int ROWS = 20;
  private static final int TASKS = 2;
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final Path directory;
  private final Warehouse warehouse;
  private final TargetSettings settings;
  private final Target target;
  private final List<Long> commitMicros = new ArrayList<>();
  private final List<Long> pinMicros = new ArrayList<>();
  private long batches;

  SmallBatches(Path directory, CatalogSettings catalog, SnapshotSettings snapshots) {
    this.directory = directory;
    this.settings =
        new TargetSettings(
            Lake.ORDERS,
            TargetKind.EVENTS,
            List.of("id"),
            List.of(),
            0,
            TargetSettings.NewColumns.APPEND,
            Map.of(),
            KeySettings.DEFAULT,
            snapshots);
    this.warehouse = Warehouse.open(catalog);
    this.target = warehouse.target(settings);
    Types.StructType id = Types.StructType.of(optional(1, "id", Types.LongType.get()));
    target.evolve(List.of(new SourceSchema(id, null)));
  }

  /**
   * What a table has become.
   *
   * @param metadataBytes of the current metadata file
   */
  record TableFigures(int snapshots, long metadataBytes, int manifests, long dataFiles) {}

  /**
   * What a target has become.
   *
   * @param filesMet by a lookup of random keys
   */
  record Figures(TableFigures rows, TableFigures keys, int filesMet) {}

  /** Commits batches of new keys, all on one day. */
  void run(int count, int day) {
    for (int i = 0; i < count; i++) {
      long begin = System.nanoTime();
      TaskTarget pinned = target.pin();
      pinMicros.add((System.nanoTime() - begin) / 1_000);
      StagedFiles files = StagedFiles.NONE;
      for (int task = 0; task < TASKS; task++) {
        files = files.plus(write(pinned, task, day));
      }
      Lake.Batch batch = Lake.batch(target.ledger(), ROWS);
      begin = System.nanoTime();
      CommitOutcome outcome = target.commit(batch.id(), batch.after(), files);
      commitMicros.add((System.nanoTime() - begin) / 1_000);
      if (!(outcome instanceof Committed)) {
        throw new IllegalStateException("batch " + batches + ": " + outcome);
      }
      batches++;
    }
  }

  private StagedFiles write(TaskTarget pinned, int task, int day) {
    TargetWriter writer = pinned.writer(day, task, task);
    List<UnsafeRow> keys = new ArrayList<>();
    for (int i = task; i < ROWS; i += TASKS) {
      long id = id(batches * ROWS + i);
      keys.add(key(pinned, id));
      writer.writeRow(
          Lakehouse.internal(
              pinned.rowType(),
              RowFactory.create(id, null, Date.valueOf(LocalDate.ofEpochDay(day)))));
    }
    writer.writeKeys(keys, new long[keys.size()]);
    return writer.finish();
  }

  private static long id(long number) {
    return number * SPREAD;
  }

  private static UnsafeRow key(TaskTarget pinned, long id) {
    return Lakehouse.unsafe(pinned.identityType(), RowFactory.create(id));
  }

  /** Goes on where another left off after so many batches. */
  SmallBatches resumed(int already) {
    long next = target.ledger().progress(Lake.P0).orElseThrow().nextOffset();
    if (next != (long) already * ROWS) {
      throw new IllegalStateException("the ledger is at " + target.ledger());
    }
    batches = already;
    return this;
  }

  /** How many of these keys are found: {@code step} apart, as many new ones among them. */
  long found(int step) {
    TaskTarget pinned = target.pin();
    List<UnsafeRow> asked = new ArrayList<>();
    Function<Row, UnsafeRow> unsafe = Lakehouse.unsafeRows(pinned.identityType());
    for (long number = 0; number < 2 * batches * ROWS; number += step) {
      asked.add(unsafe.apply(RowFactory.create(id(number))));
    }
    return pinned.lookup().find(asked).stored().cardinality();
  }

  long batches() {
    return batches;
  }

  Table table(TableIdentifier name) {
    return warehouse.catalog().loadTable(name);
  }

  Figures figures() {
    LsmKeyLookup lookup = ((PinnedTarget) target.pin()).lookup();
    TaskTarget pinned = target.pin();
    lookup.find(List.of(key(pinned, id(-1)), key(pinned, id(-2)), key(pinned, id(-3))));
    return new Figures(
        figures(settings.name().rows()), figures(settings.name().keys()), lookup.filesSearched());
  }

  private TableFigures figures(TableIdentifier name) {
    Table table = table(name);
    TableMetadata metadata = ((HasTableOperations) table).operations().current();
    Snapshot now = table.currentSnapshot();
    return new TableFigures(
        metadata.snapshots().size(),
        size(Path.of(metadata.metadataFileLocation().replaceFirst("^file:(//)?", ""))),
        now.allManifests(table.io()).size(),
        Long.parseLong(now.summary().getOrDefault("total-data-files", "0")));
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long filesOnDisk() {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    warehouse.close();
  }

  // ---- by hand

  /** Arguments: how many batches, over how many days, anything to keep all snapshots. */
  public static void main(String[] arguments) throws IOException {
    int count = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2_000;
    int days = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1;
    SnapshotSettings kept =
        arguments.length > 2 ? new SnapshotSettings(0, Long.MAX_VALUE) : SnapshotSettings.DEFAULT;
    int part = Math.max(1, count / 10);
    Path directory = Files.createTempDirectory("small-batches");
    System.out.printf(
        "%8s %9s %9s %8s | %21s | %21s | %9s %10s %5s %8s%n",
        "batches",
        "commit ms",
        "90 %",
        "pin ms",
        "rows: snap. KB man.",
        "keys: snap. KB man.",
        "key files",
        "lookup met",
        "MB",
        "on disk");
    try (SmallBatches batches = new SmallBatches(directory, Lake.sqlite(directory), kept)) {
      for (int done = 0; done < count; done += part) {
        batches.run(part, Lakehouse.TODAY + done * days / count);
        batches.print();
      }
      System.out.println("found " + batches.found(1) + " of " + batches.batches() * ROWS);
    }
    System.exit(0);
  }

  private void print() {
    Figures now = figures();
    System.out.printf(
        "%8d %9.1f %9.1f %8.1f | %6d %8.1f %5d | %6d %8.1f %5d | %9d %10d %5d %8d%n",
        batches,
        percentile(commitMicros, 0.5),
        percentile(commitMicros, 0.9),
        percentile(pinMicros, 0.5),
        now.rows.snapshots,
        now.rows.metadataBytes / 1024.0,
        now.rows.manifests,
        now.keys.snapshots,
        now.keys.metadataBytes / 1024.0,
        now.keys.manifests,
        now.keys.dataFiles,
        now.filesMet,
        heapMegabytes(),
        filesOnDisk());
    commitMicros.clear();
    pinMicros.clear();
  }

  private static double percentile(List<Long> micros, double share) {
    long[] sorted = micros.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(sorted);
    return sorted[(int) (share * (sorted.length - 1))] / 1e3;
  }

  private static long heapMegabytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
  }
}
