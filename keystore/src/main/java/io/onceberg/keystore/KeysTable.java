package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.exceptions.NoSuchTableException;

/**
 * The keys table of one target, for those who look at it or tidy it up. A daemon may be at work on
 * the target meanwhile. What kind of target it is, the table itself says.
 */
public final class KeysTable {
  private final TargetSettings settings;
  private final TableSchemas schemas;
  private final Executor pool;

  private KeysTable(TargetSettings settings, TableSchemas schemas, Executor pool) {
    this.settings = settings;
    this.schemas = schemas;
    this.pool = pool;
  }

  static KeysTable open(Catalog catalog, TargetName name, KeySettings keys, Executor pool) {
    Table table;
    try {
      table = catalog.loadTable(name.keys());
    } catch (NoSuchTableException e) {
      throw unknown(name);
    }
    TargetSettings settings = TableMarks.settings(table, name, keys);
    return new KeysTable(settings, new TableSchemas(catalog, settings), pool);
  }

  private static OncebergException unknown(TargetName name) {
    return new OncebergException(
        ErrorCode.TARGET_UNKNOWN,
        "there is no table %s, so %s is no target; onceberg keys stats without --table lists them"
            .formatted(name.keys(), name));
  }

  /** The keys table of a target whose settings are known; it may be lost. */
  static KeysTable of(Catalog catalog, TargetSettings settings, Executor pool) {
    return new KeysTable(settings, new TableSchemas(catalog, settings), pool);
  }

  public TargetName name() {
    return settings.name();
  }

  /**
   * Counts what is there now. Reads the index of every file, as a daemon does that has just
   * started.
   *
   * @throws OncebergException when the catalog or the storage does not answer, or the tables are
   *     not what they were
   */
  public KeyStats stats(KeyProgress progress) {
    return guarded(
        () -> {
          TargetTables tables = tables();
          TableImage image = new TableImage(settings, tables);
          return new KeyCount(image, files(image, tables.keys()), pool, progress).count();
        });
  }

  /**
   * Merges the files of each day into as few sorted ones as their keys need, each merge in a commit
   * of its own. May be ended at any time: what is merged by then stays so.
   *
   * @param merged hears of each merge that was committed
   * @throws OncebergException when the catalog or the storage does not answer, or the tables are
   *     not what they were
   */
  public KeyCompacted compact(KeyProgress progress, Consumer<KeyCompacted.Merged> merged) {
    return compact(place -> true, progress, merged);
  }

  /**
   * Does the same for the days before one, so that a key lies within the bounds of one file of each
   * of them. Files of changes are left as they are: these are sorted by their position, and a batch
   * meets few of them however they lie.
   *
   * @param day days since the epoch
   * @param merged hears of each merge that was committed
   * @throws OncebergException as {@link #compact} does
   */
  public KeyCompacted compactBefore(
      int day, KeyProgress progress, Consumer<KeyCompacted.Merged> merged) {
    return compact(place -> place.day() < day && !place.positions(), progress, merged);
  }

  private KeyCompacted compact(
      Predicate<MergePlan.Place> wanted,
      KeyProgress progress,
      Consumer<KeyCompacted.Merged> merged) {
    return guarded(
        () ->
            new KeyCompaction(this::tables, settings, MergePlan.MOST_ROWS, wanted, progress, merged)
                .run());
  }

  /**
   * Makes the table again from the rows of the target, in one commit that replaces all of its
   * files. A table that is gone is made anew first. A batch in work is fenced by it.
   *
   * @param identities makes the identities of rows
   * @param today the UTC day, days since the epoch: keys are made as far back as they are kept
   * @throws OncebergException when the catalog or the storage does not answer, the tables are not
   *     what they were, or a row lacks what its identity is made of
   */
  public KeyRebuilt rebuild(
      Function<TaskTarget, StoredIdentities> identities, int today, KeyProgress progress) {
    return guarded(
        () -> {
          LostKeysTable.restore(schemas, settings);
          OptionalInt keptFrom = settings.keys().keptFrom(today);
          return new KeyRebuild(
                  () -> schemas.load().orElseThrow(() -> unknown(settings.name())),
                  settings,
                  identities,
                  keptFrom,
                  KeyRebuild.MOST_COLLECTED,
                  progress)
              .run();
        });
  }

  private TargetTables tables() {
    return schemas
        .load()
        .orElseThrow(
            () ->
                new OncebergException(
                    ErrorCode.TABLE_MISSING,
                    "the tables of %s are gone; restore them".formatted(settings.name())));
  }

  private <T> T guarded(Supplier<T> action) {
    try {
      return action.get();
    } catch (RuntimeException e) {
      throw CatalogFailure.of("table " + settings.name().keys(), e);
    }
  }

  /** The live files of a keys table as of its current snapshot, newest first. */
  static List<StoredFile> files(TableImage image, Table keys) {
    int[] leads = LeadColumn.ids(image.keyLeads());
    return StoredFiles.decode(new StoredFiles().current(keys, leads), leads.length);
  }
}
