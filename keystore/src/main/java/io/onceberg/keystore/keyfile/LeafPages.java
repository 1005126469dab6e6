package io.onceberg.keystore.keyfile;

import java.util.ArrayList;
import java.util.List;

/**
 * The values of one leaf on some pages of a row group, in order.
 *
 * @param firstRows the first row of each page, counted within the row group
 */
record LeafPages(int[] firstRows, PageValues[] pages) {
  /** The row after the last one of a page. */
  int end(int page) {
    return firstRows[page] + pages[page].rows;
  }

  /** Collects pages. */
  static final class Builder {
    private final List<Integer> firstRows = new ArrayList<>();
    private final List<PageValues> pages = new ArrayList<>();

    void add(PageValues page, int firstRow) {
      pages.add(page);
      firstRows.add(firstRow);
    }

    LeafPages build() {
      return new LeafPages(
          firstRows.stream().mapToInt(Integer::intValue).toArray(),
          pages.toArray(PageValues[]::new));
    }
  }
}
