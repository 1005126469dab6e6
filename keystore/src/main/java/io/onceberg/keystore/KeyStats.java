package io.onceberg.keystore;

import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a keys table holds and what looking into it takes.
 *
 * @param identityVersion the version of the rule that made its identities
 * @param droppedBefore the first day whose keys were not dropped for their age; null when none were
 * @param days newest first; files outside a day's partition come last
 * @param filterBytes bytes of the files that are bloom filters
 * @param memoryBytes what indexes and filters of all files take in memory together
 * @param memoryBudgetBytes what those of all targets may take in a JVM such as this one
 * @param filesReadWhole files of a form that has no index here: a lookup reads them as a whole
 */
public record KeyStats(
    TargetName target,
    TargetKind kind,
    int identityVersion,
    @Nullable LocalDate droppedBefore,
    List<Day> days,
    long filterBytes,
    long memoryBytes,
    long memoryBudgetBytes,
    int filesReadWhole) {
  /**
   * The keys that were loaded on one day.
   *
   * @param loadedDate null for files that lie in no day's partition
   * @param filesByTier how many files there are of each size, the smallest first; each tier's files
   *     have up to {@code keys.merge.width} times the keys of the tier before
   */
  public record Day(
      @Nullable LocalDate loadedDate, int files, long keys, long bytes, List<Integer> filesByTier) {
    public Day {
      filesByTier = List.copyOf(filesByTier);
    }
  }

  public KeyStats {
    days = List.copyOf(days);
  }

  public long keys() {
    return days.stream().mapToLong(Day::keys).sum();
  }

  public int files() {
    return days.stream().mapToInt(Day::files).sum();
  }

  /** Bytes of all files, filters included. */
  public long bytes() {
    return days.stream().mapToLong(Day::bytes).sum();
  }

  /** Bytes of the files that are no filter, for each key; 0 without keys. */
  public double dataBytesPerKey() {
    return perKey(bytes() - filterBytes);
  }

  /** Bytes of bloom filters for each key; 0 without keys. */
  public double filterBytesPerKey() {
    return perKey(filterBytes);
  }

  private double perKey(long bytes) {
    return keys() == 0 ? 0 : (double) bytes / keys();
  }

  /** The oldest day that has keys. */
  public Optional<LocalDate> horizon() {
    return days.stream().map(Day::loadedDate).filter(Objects::nonNull).min(LocalDate::compareTo);
  }
}
