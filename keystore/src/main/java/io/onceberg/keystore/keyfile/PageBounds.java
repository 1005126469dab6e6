package io.onceberg.keystore.keyfile;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Least and greatest values of a lead column, one pair for each of its pages, in the form in which
 * they are compared.
 */
final class PageBounds {
  private final long[] leastNumbers;
  private final long[] greatestNumbers;
  private final byte[][] leastBytes;
  private final byte[][] greatestBytes;
  private final boolean[] empty;
  private boolean ascending;

  PageBounds(int pages, boolean numeric) {
    this.leastNumbers = new long[numeric ? pages : 0];
    this.greatestNumbers = new long[numeric ? pages : 0];
    this.leastBytes = new byte[numeric ? 0 : pages][];
    this.greatestBytes = new byte[numeric ? 0 : pages][];
    this.empty = new boolean[pages];
  }

  void setEmpty(int page) {
    empty[page] = true;
  }

  void set(int page, long least, long greatest) {
    leastNumbers[page] = least;
    greatestNumbers[page] = greatest;
  }

  void set(int page, byte[] least, byte[] greatest) {
    leastBytes[page] = least;
    greatestBytes[page] = greatest;
  }

  /** To be called once all are set. */
  void settle() {
    ascending = true;
    for (int page = 0; page < empty.length && ascending; page++) {
      ascending = !empty[page] && (page == 0 || follows(page));
    }
  }

  private boolean follows(int page) {
    return leastBytes.length == 0
        ? leastNumbers[page - 1] <= leastNumbers[page]
            && greatestNumbers[page - 1] <= greatestNumbers[page]
        : Arrays.compareUnsigned(leastBytes[page - 1], leastBytes[page]) <= 0
            && Arrays.compareUnsigned(greatestBytes[page - 1], greatestBytes[page]) <= 0;
  }

  /** Whether no page is empty and neither bound of a page is below that of the page before. */
  boolean isAscending() {
    return ascending;
  }

  int pages() {
    return empty.length;
  }

  /** Whether the page holds nothing but nulls. */
  boolean isEmpty(int page) {
    return empty[page];
  }

  long leastNumber(int page) {
    return leastNumbers[page];
  }

  long greatestNumber(int page) {
    return greatestNumbers[page];
  }

  byte[] leastBytes(int page) {
    return leastBytes[page];
  }

  byte[] greatestBytes(int page) {
    return greatestBytes[page];
  }

  /** About how many bytes of memory it takes. */
  long weight() {
    long weight = 64 + empty.length + 16L * leastNumbers.length;
    for (int i = 0; i < leastBytes.length; i++) {
      weight += 40 + length(leastBytes[i]) + length(greatestBytes[i]);
    }
    return weight;
  }

  private static int length(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }
}
