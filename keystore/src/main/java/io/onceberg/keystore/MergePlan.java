package io.onceberg.keystore;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which key files are merged with the next batch.
 *
 * <p>Files of one day are sorted into tiers by their number of rows, each tier a merge width larger
 * than the one below. A tier that has as many files as the width becomes one file of the next. So a
 * key is written once for each tier, a lookup meets few files of each, and no file grows beyond
 * what one task merges in some seconds. What a past day left over is put together once. Changes and
 * snapshot rows are never mixed.
 */
final class MergePlan {
  /** The most rows of a merged file. */
  static final long MOST_ROWS = 4_000_000;

  private static final long ROWS_OF_LOWEST_TIER = 1_000;

  /** The most files that are read side by side. */
  private static final int MOST_FILES = 64;

  private MergePlan() {}

  /** Files of one kind and day. */
  record Place(int day, boolean withoutLead) implements Comparable<Place> {
    static Place of(StoredFile file) {
      return new Place(file.day(), file.bounds().length > 1 && file.allNull(0));
    }

    @Override
    public int compareTo(Place other) {
      return Comparator.comparingInt(Place::day)
          .thenComparing(Place::withoutLead)
          .compare(this, other);
    }
  }

  /**
   * Groups of files to be merged, each into one, the cheapest first.
   *
   * @param width how many files of a tier are too many
   */
  static List<List<StoredFile>> of(List<StoredFile> files, int width) {
    TreeMap<Place, List<StoredFile>> places = new TreeMap<>();
    for (StoredFile file : files) {
      if (file.day() != StoredFile.NO_DAY && file.records() <= MOST_ROWS / 2) {
        places.computeIfAbsent(Place.of(file), p -> new ArrayList<>()).add(file);
      }
    }
    int newest = files.stream().mapToInt(StoredFile::day).max().orElse(StoredFile.NO_DAY);
    List<List<StoredFile>> groups = new ArrayList<>();
    places.forEach(
        (place, members) -> {
          if (place.day < newest) {
            addGroup(groups, members, 2);
          } else {
            tiers(members, width).values().forEach(tier -> addGroup(groups, tier, width));
          }
        });
    groups.sort(Comparator.comparingLong(MergePlan::rows));
    return groups;
  }

  private static Map<Integer, List<StoredFile>> tiers(List<StoredFile> files, int width) {
    Map<Integer, List<StoredFile>> tiers = new TreeMap<>();
    for (StoredFile file : files) {
      tiers.computeIfAbsent(tier(file.records(), width), t -> new ArrayList<>()).add(file);
    }
    return tiers;
  }

  /** The tier of a file: 0 for the smallest. */
  static int tier(long rows, int width) {
    int tier = 0;
    for (long most = ROWS_OF_LOWEST_TIER; rows > most && most < MOST_ROWS; most *= width) {
      tier++;
    }
    return tier;
  }

  /** The smallest files that together are not too many rows, if they are enough files. */
  private static void addGroup(List<List<StoredFile>> groups, List<StoredFile> files, int least) {
    List<StoredFile> smallest = new ArrayList<>(files);
    smallest.sort(Comparator.comparingLong(StoredFile::records).thenComparing(StoredFile::path));
    List<StoredFile> group = new ArrayList<>();
    long rows = 0;
    for (StoredFile file : smallest) {
      if (rows + file.records() > MOST_ROWS || group.size() == MOST_FILES) {
        break;
      }
      group.add(file);
      rows += file.records();
    }
    if (files.size() >= least && group.size() > 1) {
      groups.add(group);
    }
  }

  private static long rows(List<StoredFile> group) {
    return group.stream().mapToLong(StoredFile::records).sum();
  }
}
