package io.onceberg.keystore;

import io.onceberg.keystore.CatalogSettings.RequiredAtomicity;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Types;

/** A real catalog with the three tables of one target, each with a single column {@code id}. */
final class Lake implements AutoCloseable {
  static final TargetName ORDERS = TargetName.parse("db.orders");
  static final SourcePartition P0 = new SourcePartition("orders", 0);
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.optional(1, "id", Types.LongType.get()));

  final CatalogSettings settings;
  final OpenedCatalog opened;
  final TargetSettings target;
  SnapshotSettings snapshots = SnapshotSettings.DEFAULT;
  Executor cleanup = Runnable::run;
  private final ExecutorService pool = Executors.newFixedThreadPool(4);

  private Lake(CatalogSettings settings, TargetSettings target) {
    this.settings = settings;
    this.opened = OpenedCatalog.open(settings);
    this.target = target;
  }

  static Lake open(CatalogSettings settings) {
    return new Lake(settings, target(0));
  }

  static Lake open(CatalogSettings settings, int sourceEpoch) {
    return new Lake(settings, target(sourceEpoch));
  }

  static CatalogSettings sqlite(Path directory) {
    return settings(
        Map.of(
            "type",
            "jdbc",
            "uri",
            "jdbc:sqlite:" + directory.resolve("made/here/catalog.db"),
            "warehouse",
            directory.resolve("warehouse").toString()));
  }

  static CatalogSettings hadoop(Path directory) {
    return settings(
        Map.of("type", "hadoop", "warehouse", directory.resolve("warehouse").toString()));
  }

  static CatalogSettings settings(Map<String, String> properties) {
    return new CatalogSettings("lake", properties, RequiredAtomicity.BEST);
  }

  private static TargetSettings target(int epoch) {
    return new TargetSettings(
        ORDERS,
        TargetKind.CHANGELOG,
        List.of(),
        List.of(),
        epoch,
        TargetSettings.NewColumns.APPEND,
        Map.of());
  }

  Lake create(Map<String, String> tableProperties) {
    Map<String, String> properties = new HashMap<>(tableProperties);
    properties.put("format-version", "2");
    if (opened.catalog() instanceof SupportsNamespaces namespaces
        && !namespaces.namespaceExists(ORDERS.rows().namespace())) {
      namespaces.createNamespace(ORDERS.rows().namespace());
    }
    for (TableIdentifier name : List.of(ORDERS.rows(), ORDERS.keys(), ORDERS.quarantine())) {
      opened.catalog().createTable(name, SCHEMA, PartitionSpec.unpartitioned(), properties);
    }
    return this;
  }

  Lake create() {
    return create(Map.of());
  }

  Table rows() {
    return opened.catalog().loadTable(ORDERS.rows());
  }

  Table keys() {
    return opened.catalog().loadTable(ORDERS.keys());
  }

  Table quarantine() {
    return opened.catalog().loadTable(ORDERS.quarantine());
  }

  /** Loads, completes and reads, as a target does. */
  Standing standing() {
    return Standing.of(new TargetTables(ORDERS, rows(), keys(), quarantine()), target);
  }

  TargetCommit.Ending commit(Standing base, BatchId batch, Ledger next, StagedFiles files) {
    return commit(opened.means(), base, batch, next, files);
  }

  TargetCommit.Ending commit(
      CommitMeans means, Standing base, BatchId batch, Ledger next, StagedFiles files) {
    TargetCommit.Context context =
        new TargetCommit.Context(means, pool, cleanup, this::standing, snapshots);
    return TargetCommit.commit(context, base, batch, next, files);
  }

  /** Commits rows and keys of these ids as the next batch of one partition, one offset each. */
  CommitOutcome next(long... ids) {
    return next(standing(), ids).outcome();
  }

  TargetCommit.Ending next(Standing base, long... ids) {
    Batch batch = batch(base.ledger(), Math.max(1, ids.length));
    return commit(base, batch.id(), batch.after(), files(ids));
  }

  /** The same, and where the target stands after it without having been loaded. */
  Standing after(Standing base, long... ids) {
    return Objects.requireNonNull(next(base, ids).standing());
  }

  Standing committed(Standing base, Batch batch, StagedFiles files) {
    return Objects.requireNonNull(commit(base, batch.id(), batch.after(), files).standing());
  }

  /** The batch after a ledger that covers so many offsets of partition 0. */
  static Batch batch(Ledger ledger, int offsets) {
    long from = ledger.progress(P0).map(SourceProgress::nextOffset).orElse(0L);
    List<SourceRange> ranges = List.of(new SourceRange(P0, "topic-id", from, from + offsets));
    BatchId id = ledger.nextBatch(ranges);
    return new Batch(id, ledger.advance(id, ranges));
  }

  record Batch(BatchId id, Ledger after) {}

  static Ledger ledger(BatchId batch, long next) {
    return new Ledger(batch, 0, new TreeMap<>(Map.of(P0, new SourceProgress("topic-id", next))));
  }

  StagedFiles files(long... ids) {
    return ids.length == 0
        ? StagedFiles.NONE
        : new StagedFiles(List.of(file(rows(), ids)), List.of(file(keys(), ids)), List.of());
  }

  StagedFiles filesWithQuarantine(long... ids) {
    return files(ids).plus(new StagedFiles(List.of(), List.of(), List.of(file(quarantine(), ids))));
  }

  /** Writes one Parquet file, not visible yet. */
  static DataFile file(Table table, long... ids) {
    OutputFileFactory places =
        OutputFileFactory.builderFor(table, 0, 0).operationId(UUID.randomUUID().toString()).build();
    GenericFileWriterFactory writers = new GenericFileWriterFactory.Builder(table).build();
    DataWriter<Record> writer = writers.newDataWriter(places.newOutputFile(), table.spec(), null);
    try (writer) {
      for (long id : ids) {
        GenericRecord record = GenericRecord.create(table.schema());
        record.setField("id", id);
        writer.write(record);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.toDataFile();
  }

  static List<Long> ids(Table table) {
    List<Long> ids = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
      records.forEach(record -> ids.add((Long) record.getField("id")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ids.sort(null);
    return ids;
  }

  static List<Long> idsAt(Table table, Snapshot snapshot) {
    List<Long> ids = new ArrayList<>();
    try (var records = IcebergGenerics.read(table).useSnapshot(snapshot.snapshotId()).build()) {
      records.forEach(record -> ids.add((Long) record.getField("id")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ids.sort(null);
    return ids;
  }

  /** The files that the snapshots of a table name, those that they removed among them. */
  static SortedSet<String> filesNamed(Table table) {
    Set<String> named = new HashSet<>();
    for (Snapshot snapshot : table.snapshots()) {
      named.add(snapshot.manifestListLocation());
      snapshot.allManifests(table.io()).forEach(manifest -> named.add(manifest.path()));
      SnapshotChanges changes = SnapshotChanges.builderFor(table).snapshot(snapshot).build();
      changes.removedDataFiles().forEach(file -> named.add(file.location()));
      try (var tasks = table.newScan().useSnapshot(snapshot.snapshotId()).planFiles()) {
        tasks.forEach(task -> named.add(task.file().location()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return named.stream().map(Lake::path).collect(Collectors.toCollection(TreeSet::new));
  }

  /** The manifests and data files that lie in a table's directory. */
  static SortedSet<String> filesOf(Table table) {
    Path directory = Path.of(path(table.location()));
    SortedSet<String> files = new TreeSet<>(filesUnder(directory, ".avro"));
    files.addAll(filesUnder(directory, ".parquet"));
    return files;
  }

  private static String path(String location) {
    return location.replaceFirst("^file:(//)?", "");
  }

  /** The files that a table has now, with their bounds. */
  static List<DataFile> live(Table table) {
    List<DataFile> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().includeColumnStats().planFiles()) {
      tasks.forEach(task -> files.add(task.file()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  static List<String> filesUnder(Path directory, String suffix) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.map(Path::toString).filter(f -> f.endsWith(suffix)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    pool.shutdownNow();
    if (opened.means() instanceof JdbcMeans jdbc) {
      jdbc.close();
    }
    if (opened.catalog() instanceof Closeable catalog) {
      catalog.close();
    }
  }
}
