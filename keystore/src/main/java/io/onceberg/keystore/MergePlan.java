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
 * than the one below. A tier that has as many files as the width becomes one file of the next; with
 * several tasks it waits for as many files for each, and each task merges its share at the same
 * time. So a key is written once for each tier, a lookup meets few files of each, and no file grows
 * beyond what one task merges in some seconds. What a past day left over is put together once, if
 * nobody does that beside the batches. Changes and snapshot rows are never mixed.
 *
 * <p>Changes are sorted by their position, and batches follow each other in it: a lookup meets the
 * few files whose positions it looks for, however many there are. So only small files of them are
 * merged, which keeps the metadata small.
 */
final class MergePlan {
  /** The most rows of a merged file. */
  static final long MOST_ROWS = 4_000_000;

  /** The most rows of a merged file of changes. */
  static final long MOST_POSITIONS = 256_000;

  /** The most tasks that merge files of one tier. */
  private static final int MOST_SHARES = 4;

  private static final long ROWS_OF_LOWEST_TIER = 1_000;

  /** The most files that are read side by side. */
  static final int MOST_FILES = 64;

  private MergePlan() {}

  /** Files of one kind and day. */
  record Place(int day, boolean positions, boolean withoutLead) implements Comparable<Place> {
    static Place of(StoredFile file) {
      boolean changelog = file.bounds().length > 1;
      boolean withoutLead = changelog && file.allNull(0);
      return new Place(file.day(), changelog && !withoutLead, withoutLead);
    }

    /** The most rows of a merged file. */
    long mostRows() {
      return positions ? MOST_POSITIONS : MOST_ROWS;
    }

    /** The most rows of a file that is merged: with larger ones too few would make a group. */
    long mostRowsOfOne() {
      return positions ? MOST_POSITIONS / 4 : MOST_ROWS / 2;
    }

    @Override
    public int compareTo(Place other) {
      return Comparator.comparingInt(Place::day)
          .thenComparing(Place::positions)
          .thenComparing(Place::withoutLead)
          .compare(this, other);
    }
  }

  /**
   * Groups of files to be merged, each into one, the cheapest first.
   *
   * @param tasks how many tasks there are to merge
   */
  static List<List<StoredFile>> of(List<StoredFile> files, KeySettings settings, int tasks) {
    int width = settings.mergeWidth();
    int newest = files.stream().mapToInt(StoredFile::day).max().orElse(StoredFile.NO_DAY);
    int shares = Math.min(tasks, MOST_SHARES);
    List<List<StoredFile>> groups = new ArrayList<>();
    places(files)
        .forEach(
            (place, all) -> {
              List<StoredFile> members =
                  all.stream().filter(file -> file.records() <= place.mostRowsOfOne()).toList();
              if (place.day < newest) {
                if (place.positions || !settings.pastDaysBeside()) {
                  addGroup(groups, members, place.mostRows());
                }
              } else {
                for (List<StoredFile> tier : tiers(members, width).values()) {
                  if (tier.size() >= width * shares) {
                    shares(tier, shares)
                        .forEach(share -> addGroup(groups, share, place.mostRows()));
                  }
                }
              }
            });
    groups.sort(Comparator.comparingLong(MergePlan::rows));
    return groups;
  }

  /** The files of each place; those that lie in no day's partition are left out. */
  static Map<Place, List<StoredFile>> places(List<StoredFile> files) {
    Map<Place, List<StoredFile>> places = new TreeMap<>();
    for (StoredFile file : files) {
      if (file.day() != StoredFile.NO_DAY) {
        places.computeIfAbsent(Place.of(file), p -> new ArrayList<>()).add(file);
      }
    }
    return places;
  }

  /**
   * Which files of one place are merged next where all are to become one run, the smallest first;
   * none when that gains nothing.
   */
  static List<StoredFile> compacting(List<StoredFile> files, long mostRows) {
    List<StoredFile> group = smallestFirst(files).stream().limit(MOST_FILES).toList();
    return isCompact(group, mostRows) ? List.of() : group;
  }

  /** Whether there are no more files than their rows need. */
  static boolean isCompact(List<StoredFile> files, long mostRows) {
    return files.size() <= Math.max(1, -Math.floorDiv(-rows(files), mostRows));
  }

  /** Divides the files of a tier, so that the tasks have about as many rows each. */
  private static List<List<StoredFile>> shares(List<StoredFile> tier, int count) {
    List<List<StoredFile>> shares = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      shares.add(new ArrayList<>());
    }
    List<StoredFile> sorted = smallestFirst(tier);
    for (int i = 0; i < sorted.size(); i++) {
      shares.get(i % count).add(sorted.get(i));
    }
    return shares;
  }

  private static List<StoredFile> smallestFirst(List<StoredFile> files) {
    return files.stream()
        .sorted(Comparator.comparingLong(StoredFile::records).thenComparing(StoredFile::path))
        .toList();
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

  /** Adds the smallest files that together are not too many rows, if that gains anything. */
  private static void addGroup(
      List<List<StoredFile>> groups, List<StoredFile> files, long mostRows) {
    List<StoredFile> group = new ArrayList<>();
    long rows = 0;
    for (StoredFile file : smallestFirst(files)) {
      if (rows + file.records() > mostRows || group.size() == MOST_FILES) {
        break;
      }
      group.add(file);
      rows += file.records();
    }
    if (group.size() > 1) {
      groups.add(group);
    }
  }

  static long rows(List<StoredFile> group) {
    return group.stream().mapToLong(StoredFile::records).sum();
  }
}
