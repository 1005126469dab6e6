package io.onceberg.keystore;

import io.onceberg.keystore.KeyStats.Day;
import io.onceberg.keystore.keyfile.IndexSize;
import io.onceberg.keystore.keyfile.KeyColumns;
import io.onceberg.keystore.keyfile.UnknownLayoutException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts the keys, files and indexes of one keys table. */
final class KeyCount {
  private final TableImage image;
  private final List<StoredFile> files;
  private final Executor pool;
  private final KeyProgress progress;

  KeyCount(TableImage image, List<StoredFile> files, Executor pool, KeyProgress progress) {
    this.image = image;
    this.files = files;
    this.pool = pool;
    this.progress = progress;
  }

  KeyStats count() {
    List<IndexSize> indexes = indexes();
    return new KeyStats(
        image.settings.name(),
        image.settings.kind(),
        image.identityVersion,
        droppedBefore(),
        days(),
        indexes.stream().mapToLong(IndexSize::filterBytes).sum(),
        indexes.stream().mapToLong(IndexSize::memoryBytes).sum(),
        image.settings.keys().filterMemoryHere(),
        files.size() - indexes.size());
  }

  private @Nullable LocalDate droppedBefore() {
    OptionalInt day = TableMarks.droppedBefore(image.keys);
    return day.isPresent() ? LocalDate.ofEpochDay(day.getAsInt()) : null;
  }

  /** The indexes of all files that have one. */
  private List<IndexSize> indexes() {
    KeyColumns columns = image.keyColumns();
    AtomicInteger read = new AtomicInteger();
    List<CompletableFuture<Optional<IndexSize>>> reading = new ArrayList<>();
    for (StoredFile file : files) {
      reading.add(
          CompletableFuture.supplyAsync(
              () -> {
                Optional<IndexSize> size = index(file, columns);
                progress.at("reading indexes", read.incrementAndGet(), files.size());
                return size;
              },
              pool));
    }
    try {
      return reading.stream().map(CompletableFuture::join).flatMap(Optional::stream).toList();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private Optional<IndexSize> index(StoredFile file, KeyColumns columns) {
    try {
      return Optional.of(
          IndexSize.of(
              image.keys.io().newInputFile(file.path(), file.size()),
              file.size(),
              file.records(),
              columns));
    } catch (UnknownLayoutException e) {
      return Optional.empty();
    }
  }

  private List<Day> days() {
    Map<Integer, List<StoredFile>> byDay = new TreeMap<>(Collections.reverseOrder());
    files.forEach(file -> byDay.computeIfAbsent(file.day(), d -> new ArrayList<>()).add(file));
    return byDay.entrySet().stream().map(day -> day(day.getKey(), day.getValue())).toList();
  }

  private Day day(int day, List<StoredFile> members) {
    List<Integer> tiers = new ArrayList<>();
    for (StoredFile file : members) {
      int tier = MergePlan.tier(file.records(), image.settings.keys().mergeWidth());
      while (tiers.size() <= tier) {
        tiers.add(0);
      }
      tiers.set(tier, tiers.get(tier) + 1);
    }
    return new Day(
        day == StoredFile.NO_DAY ? null : LocalDate.ofEpochDay(day),
        members.size(),
        members.stream().mapToLong(StoredFile::records).sum(),
        members.stream().mapToLong(StoredFile::size).sum(),
        tiers);
  }
}
