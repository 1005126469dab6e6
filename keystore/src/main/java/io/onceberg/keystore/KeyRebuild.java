package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.IncrementalAppendScan;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the keys table again from the rows of its target.
 *
 * <p>All rows are read once. What batches append meanwhile is read after them, until nothing
 * happened between the last look and the commit, so that it comes to an end beside a daemon at
 * work, too. The commit takes effect only if the keys table has not moved since that look. The keys
 * are looked at before the rows: a batch that lands in between either moves the keys as well, or,
 * rolled forward, has its rows read here and finds its ledger in the keys.
 */
final class KeyRebuild {
  private static final Logger LOG = LoggerFactory.getLogger(KeyRebuild.class);

  /** How many keys are held in memory, about 200 bytes each. */
  static final int MOST_COLLECTED = 500_000;

  private static final long ROWS_A_REPORT = 1 << 14;
  private static final int MOST_COMMITS = 100;
  private static final int MOST_BEGINNINGS = 3;

  private final Supplier<TargetTables> loading;
  private final TargetSettings settings;
  private final Function<TaskTarget, StoredIdentities> identities;
  private final OptionalInt keptFrom;
  private final int mostCollected;
  private final KeyProgress progress;

  /**
   * Prepares it.
   *
   * @param loading loads the tables as they are then
   * @param identities makes the identities of rows
   * @param keptFrom the first day whose keys are made, days since the epoch; empty for all
   * @param mostCollected how many keys are held in memory
   */
  KeyRebuild(
      Supplier<TargetTables> loading,
      TargetSettings settings,
      Function<TaskTarget, StoredIdentities> identities,
      OptionalInt keptFrom,
      int mostCollected,
      KeyProgress progress) {
    this.loading = loading;
    this.settings = settings;
    this.identities = identities;
    this.keptFrom = keptFrom;
    this.mostCollected = mostCollected;
    this.progress = progress;
  }

  KeyRebuilt run() {
    for (int n = 1; n <= MOST_BEGINNINGS; n++) {
      Optional<KeyRebuilt> done = new Attempt(look()).run();
      if (done.isPresent()) {
        return done.get();
      }
      LOG.info("{}: its tables changed in a way that cannot be followed", settings.name());
    }
    throw new OncebergException(
        ErrorCode.FENCED,
        "%s: its tables kept changing in ways that cannot be followed (rolled back, columns added); the keys are as they were, run it again"
            .formatted(settings.name()));
  }

  /** The tables at one moment, pinned: the keys first. */
  private record View(TargetTables tables) {
    Table rows() {
      return tables.rows();
    }

    TableMetadata rowsMetadata() {
      return Standing.metadata(tables.rows());
    }

    TableMetadata keysMetadata() {
      return Standing.metadata(tables.keys());
    }

    @Nullable Long rowsSnapshot() {
      Snapshot current = tables.rows().currentSnapshot();
      return current == null ? null : current.snapshotId();
    }
  }

  private View look() {
    TargetTables pinned = Standing.pin(loading.get());
    complete(pinned);
    Table keys = PinnedOperations.refreshed(pinned.keys());
    Table rows = PinnedOperations.refreshed(pinned.rows());
    return new View(new TargetTables(pinned.name(), rows, keys, pinned.quarantine()));
  }

  /** Completes a roll-forward that ended half way, for its quarantined records are in no row. */
  private static void complete(TargetTables tables) {
    LedgerEntry rows = LedgerHistory.newest(Standing.metadata(tables.rows())).orElse(null);
    if (rows == null
        || rows.pending() == null
        || LedgerHistory.holds(Standing.metadata(tables.keys()), rows.batch())) {
      return;
    }
    try {
      RollForward.complete(tables, rows);
    } catch (OncebergException e) {
      // the list is deleted once nothing lacks: then it is the keys that were rolled back
      LOG.debug("{}: nothing to complete", tables.name(), e);
    }
  }

  /** One reading of all rows. */
  private final class Attempt {
    private final View first;
    private final TableImage image;
    private final StoredIdentities stored;
    private final RebuiltKeys keys;
    private long foreign;
    private long done;
    private long total;

    Attempt(View first) {
      this.first = first;
      this.image = new TableImage(settings, first.tables);
      this.stored = identities.apply(task());
      this.keys = new RebuiltKeys(image, mostCollected, progress);
    }

    /** The target as makers of identities see it; no file of the keys is looked at. */
    private TaskTarget task() {
      String id = UUID.randomUUID().toString();
      TableImage.keep(id, image);
      return new PinnedTarget(
          id, image.pack(), OptionalInt.empty(), "", StoredFiles.NONE, StoredFiles.NONE);
    }

    /** Empty when the tables changed in a way that cannot be followed. */
    Optional<KeyRebuilt> run() {
      boolean keep = false;
      try {
        if (!readAll()) {
          return Optional.empty();
        }
        Optional<KeyRebuilt> rebuilt = commit();
        keep = rebuilt.isPresent();
        return rebuilt;
      } catch (CommitStateUnknownException e) {
        keep = true;
        throw new OncebergException(
            ErrorCode.COMMIT_IN_DOUBT,
            "%s: it is not known whether the new keys were taken (%s); either way the table is whole, run it again"
                .formatted(settings.name(), e.getMessage()),
            e);
      } finally {
        if (!keep) {
          keys.abort();
        }
      }
    }

    private boolean readAll() {
      Expression kept =
          keptFrom.isPresent()
              ? Expressions.greaterThanOrEqual(TableColumns.LOADED_DATE, keptFrom.getAsInt())
              : Expressions.alwaysTrue();
      total = count(first.rows(), kept);
      try (CloseableIterable<StoredRow> rows = StoredRowScan.of(image, first.rows(), kept)) {
        rows.forEach(this::add);
      } catch (NotFoundException e) {
        if (Objects.equals(look().rowsSnapshot(), first.rowsSnapshot())) {
          throw e;
        }
        return false;
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read the rows of " + settings.name(), e);
      }
      keys.write();
      keys.merge();
      return true;
    }

    private void add(StoredRow row) {
      if (done++ % ROWS_A_REPORT == 0) {
        progress.at("reading rows", done, Math.max(done, total));
      }
      UnsafeRow identity = stored.identity(row);
      if (identity == null) {
        foreign++;
        return;
      }
      LocalDate day = row.loadedDate();
      if (day == null) {
        throw new OncebergException(
            ErrorCode.IDENTITY_NOT_STORED,
            "%s: the row of partition %d offset %d lacks %s"
                .formatted(
                    settings.name(), row.partition(), row.offset(), TableColumns.LOADED_DATE));
      }
      if (keptFrom.isEmpty() || day.toEpochDay() >= keptFrom.getAsInt()) {
        keys.add(identity, stored.payloadHash(row), day, row);
      }
    }

    private Optional<KeyRebuilt> commit() {
      View built = first;
      for (int n = 0; n < MOST_COMMITS; n++) {
        View now = look();
        if (!readAppended(built, now)) {
          return Optional.empty();
        }
        built = now;
        OptionalInt droppedBefore = droppedBefore(now);
        if (commit(now, droppedBefore)) {
          return Optional.of(rebuilt(droppedBefore));
        }
        LOG.debug("{}: its keys moved", settings.name());
      }
      return Optional.empty();
    }

    private boolean commit(View now, OptionalInt droppedBefore) {
      LedgerEntry ledger = new LedgerEntry(ledger(now), null);
      try {
        return new KeyReplacement(now.tables.keys()).commit(keys.files(), ledger, droppedBefore);
      } catch (NotFoundException e) {
        throw new OncebergException(
            ErrorCode.TABLE_DAMAGED,
            "%s: not only data files but its metadata is gone (%s); drop this one table and run keys rebuild again, which makes it anew"
                .formatted(settings.name().keys(), e.getMessage()),
            e);
      }
    }

    private Ledger ledger(View now) {
      return LedgerHistory.newest(now.rowsMetadata())
          .orElseThrow(
              () ->
                  new OncebergException(
                      ErrorCode.LEDGER_BROKEN,
                      "no batch is in the history of table %s, so there is nothing to make keys of"
                          .formatted(settings.name().rows())))
          .ledger();
    }

    /** Adds what batches have appended; false when something else happened. */
    private boolean readAppended(View built, View now) {
      List<Snapshot> since = Rebase.since(built.rowsMetadata(), now.rowsMetadata());
      if (since == null
          || Rebase.shape("rows", first.rowsMetadata(), now.rowsMetadata()) != null
          || Rebase.shape("keys", first.keysMetadata(), now.keysMetadata()) != null) {
        return false;
      }
      if (!since.isEmpty()) {
        appended(built, now).forEach(file -> readAppended(now.rows(), file));
        keys.write();
      }
      return true;
    }

    private List<DataFile> appended(View built, View now) {
      IncrementalAppendScan scan =
          now.rows()
              .newIncrementalAppendScan()
              .toSnapshot(now.rows().currentSnapshot().snapshotId());
      Long from = built.rowsSnapshot();
      if (from != null) {
        scan = scan.fromSnapshotExclusive(from);
      }
      List<DataFile> files = new ArrayList<>();
      try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
        tasks.forEach(task -> files.add(task.file()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return files;
    }

    private void readAppended(Table rows, DataFile file) {
      if (file.format() != FileFormat.PARQUET) {
        return; // not of a batch
      }
      try (CloseableIterable<StoredRow> added = StoredRowScan.of(image, rows, file)) {
        added.forEach(this::add);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + file.location(), e);
      }
    }

    /** Nothing was dropped where no row is older. */
    private OptionalInt droppedBefore(View now) {
      return keptFrom.isPresent()
              && count(
                      now.rows(),
                      Expressions.lessThan(TableColumns.LOADED_DATE, keptFrom.getAsInt()))
                  > 0
          ? keptFrom
          : OptionalInt.empty();
    }

    private KeyRebuilt rebuilt(OptionalInt droppedBefore) {
      Snapshot before = first.tables.keys().currentSnapshot();
      return new KeyRebuilt(
          total(before, SnapshotSummary.TOTAL_RECORDS_PROP),
          total(before, SnapshotSummary.TOTAL_DATA_FILES_PROP),
          keys.files().stream().mapToLong(DataFile::recordCount).sum(),
          keys.files().size(),
          keys.files().stream().mapToLong(DataFile::fileSizeInBytes).sum(),
          foreign,
          keys.repeated(),
          keys.examples(),
          droppedBefore.isPresent() ? LocalDate.ofEpochDay(droppedBefore.getAsInt()) : null);
    }
  }

  private static long total(@Nullable Snapshot snapshot, String key) {
    return snapshot == null ? 0 : Long.parseLong(snapshot.summary().getOrDefault(key, "0"));
  }

  /** How many rows lie in the files that a filter lets pass. */
  private static long count(Table rows, Expression filter) {
    TableScan scan = rows.newScan().filter(filter);
    long count = 0;
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      for (FileScanTask task : tasks) {
        count += task.file().recordCount();
      }
      return count;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
