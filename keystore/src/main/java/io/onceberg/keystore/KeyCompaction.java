package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.KeyCompacted.Merged;
import io.onceberg.keystore.MergePlan.Place;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.OutputFileFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges the key files of each day into one sorted run.
 *
 * <p>Each merge is a commit of its own, a replacement, over which a daemon's batch steps: its files
 * are appended on top (see {@link Rebase}). If the daemon has merged one of the files itself by
 * then, the merge is lost and made again from what is there; each time smaller files of the newest
 * day are left out, which are the ones that the daemon merges.
 */
final class KeyCompaction {
  private static final Logger LOG = LoggerFactory.getLogger(KeyCompaction.class);

  private static final int MOST_LOSSES = 6;

  private final Supplier<TargetTables> loading;
  private final TargetSettings settings;
  private final long mostRows;
  private final Predicate<Place> wanted;
  private final KeyProgress progress;
  private final Consumer<Merged> merged;
  private final Map<Place, Integer> losses = new HashMap<>();
  private final Set<Place> done = new HashSet<>();

  /**
   * Prepares it.
   *
   * @param loading loads the tables as they are then
   * @param mostRows of a merged file
   * @param wanted which days and kinds of keys are merged
   */
  KeyCompaction(
      Supplier<TargetTables> loading,
      TargetSettings settings,
      long mostRows,
      Predicate<Place> wanted,
      KeyProgress progress,
      Consumer<Merged> merged) {
    this.loading = loading;
    this.settings = settings;
    this.mostRows = mostRows;
    this.wanted = wanted;
    this.progress = progress;
    this.merged = merged;
  }

  /** The table at one moment. */
  private record View(Table keys, TableImage image, List<StoredFile> files) {
    long bytes() {
      return files.stream().mapToLong(StoredFile::size).sum();
    }
  }

  private View look() {
    TargetTables tables = loading.get();
    TableImage image = new TableImage(settings, tables);
    return new View(tables.keys(), image, KeysTable.files(image, tables.keys()));
  }

  KeyCompacted run() {
    View first = look();
    View now = first;
    for (Step step = next(now); step != null; step = next(now)) {
      take(now, step);
      now = look();
    }
    return new KeyCompacted(
        first.files.size(), first.bytes(), now.files.size(), now.bytes(), left(now));
  }

  private int left(View now) {
    long outside = now.files.stream().filter(f -> f.day() == StoredFile.NO_DAY).count();
    long notCompact =
        MergePlan.places(now.files).entrySet().stream()
            .filter(place -> wanted.test(place.getKey()))
            .map(Map.Entry::getValue)
            .filter(files -> !MergePlan.isCompact(files, mostRows))
            .mapToLong(List::size)
            .sum();
    return Math.toIntExact(outside + notCompact);
  }

  /** Files of one place to be merged in one commit. */
  private record Step(Place place, List<StoredFile> files) {}

  /** What is to be done next, oldest day first; null when that is nothing. */
  private @Nullable Step next(View now) {
    for (Map.Entry<Place, List<StoredFile>> place : MergePlan.places(now.files).entrySet()) {
      List<StoredFile> group = group(place.getValue(), leftOut(place.getKey()));
      if (!group.isEmpty() && wanted.test(place.getKey()) && !done.contains(place.getKey())) {
        return new Step(place.getKey(), group);
      }
    }
    return null;
  }

  /** How many tiers of small files are left to the daemon. */
  private int leftOut(Place place) {
    return losses.getOrDefault(place, 0);
  }

  /** The files to be merged next in a place, the smallest first; empty when that gains nothing. */
  private List<StoredFile> group(List<StoredFile> files, int tiersLeftOut) {
    int width = settings.keys().mergeWidth();
    List<StoredFile> members =
        files.stream()
            .filter(file -> MergePlan.tier(file.records(), width) >= tiersLeftOut)
            .toList();
    return MergePlan.compacting(members, mostRows);
  }

  private void take(View view, Step step) {
    LocalDate day = LocalDate.ofEpochDay(step.place.day());
    KeyMerge merge;
    try {
      merge = merge(view, day, step.files);
    } catch (NotFoundException e) {
      lost(step.place, e);
      return;
    }
    if (commit(view.keys, merge, step.place)) {
      if (leftOut(step.place) > 0) {
        done.add(step.place);
      }
      merged.accept(
          new Merged(day, step.files.size(), merge.merged().size(), MergePlan.rows(step.files)));
    }
  }

  private KeyMerge merge(View view, LocalDate day, List<StoredFile> group) {
    OutputFileFactory places =
        OutputFileFactory.builderFor(view.image.keys, 0, 0)
            .format(FileFormat.PARQUET)
            .operationId(UUID.randomUUID().toString())
            .build();
    long rows = MergePlan.rows(group);
    return new KeyMerging(view.image)
        .merge(group, places, mostRows, done -> progress.at("merging keys of " + day, done, rows));
  }

  private boolean commit(Table keys, KeyMerge merge, Place place) {
    RewriteFiles rewrite = keys.newRewrite();
    merge.addTo(rewrite, keys.currentSnapshot());
    try {
      rewrite.commit();
      return true;
    } catch (ValidationException | CommitFailedException e) {
      merge.deleteMerged(keys.io());
      lost(place, e);
      return false;
    } catch (CommitStateUnknownException e) {
      keys.refresh();
      if (holds(keys, merge.merged().get(0))) {
        return true;
      }
      throw new OncebergException(
          ErrorCode.COMMIT_IN_DOUBT,
          "%s: it is not known whether merged files were taken (%s); nothing is lost, run it again"
              .formatted(keys.name(), e.getMessage()),
          e);
    }
  }

  private static boolean holds(Table keys, DataFile wanted) {
    try (CloseableIterable<FileScanTask> tasks = keys.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        if (task.file().location().equals(wanted.location())) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void lost(Place place, RuntimeException reason) {
    LOG.debug("merging keys of {}", place, reason);
    if (losses.merge(place, 1, Integer::sum) == MOST_LOSSES) {
      done.add(place);
    }
  }
}
