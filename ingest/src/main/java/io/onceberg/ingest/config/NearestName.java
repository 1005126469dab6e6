package io.onceberg.ingest.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what a mistyped name was meant to be, by edit distance. */
final class NearestName {
  private NearestName() {}

  /** The known name that needs the fewest edits; empty when all are too far off to be meant. */
  static Optional<String> of(String name, Collection<String> known) {
    return of(name, known, Math.max(2, name.length() / 3));
  }

  static Optional<String> of(String name, Collection<String> known, int atMost) {
    return known.stream()
        .filter(candidate -> distance(name, candidate) <= atMost)
        .min(
            Comparator.comparingInt((String candidate) -> distance(name, candidate))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** Insertions, deletions and replacements of one character that turn one text into another. */
  static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j - 1], row[j]));
      }
    }
    return row[to.length()];
  }
}
