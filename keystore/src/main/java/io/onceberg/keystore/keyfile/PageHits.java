package io.onceberg.keystore.keyfile;

import java.util.Arrays;

/** Pages of a column chunk that may hold lead values of a batch, and which values each may hold. */
final class PageHits {
  private final int[] from;
  private final int[] until;

  PageHits(int pages) {
    this.from = new int[pages];
    this.until = new int[pages];
  }

  /** Notes that a page may hold a value, one that is not below those noted for it before. */
  void add(int page, int value) {
    if (until[page] == 0) {
      from[page] = value;
    }
    until[page] = value + 1;
  }

  /** Notes the values that a page may hold, if any. */
  void add(int page, int first, int end) {
    if (first < end) {
      from[page] = first;
      until[page] = end;
    }
  }

  /** The pages, in order. */
  int[] pages() {
    int[] pages = new int[until.length];
    int count = 0;
    for (int page = 0; page < pages.length; page++) {
      if (until[page] > 0) {
        pages[count++] = page;
      }
    }
    return Arrays.copyOf(pages, count);
  }

  /** The first value that a page may hold. */
  int from(int page) {
    return from[page];
  }

  /** The value after the last one that a page may hold. */
  int until(int page) {
    return until[page];
  }
}
