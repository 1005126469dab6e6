package io.onceberg.keystore.keyfile;

import io.onceberg.keystore.keyfile.FileColumns.FileLeaf;
import io.onceberg.keystore.keyfile.FileIndex.Lead;
import io.onceberg.keystore.keyfile.FileIndex.RowGroup;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The lead values of a batch that a row group may hold, going by its bounds and its filter.
 *
 * @param from the first one by the bounds
 * @param until the one after the last by the bounds
 * @param passed those of them that passed the filter, in order; null when there is no filter
 */
record Survivors(LeadValues values, int from, int until, int @Nullable [] passed) {

  static Survivors of(LeadValues values, @Nullable Lead lead, FileLeaf leaf) {
    PageBounds bounds = lead == null ? null : lead.bounds();
    int from = bounds == null ? 0 : values.from(bounds, 0);
    int until = bounds == null ? values.count() : values.until(bounds, 0);
    BloomBits filter = lead == null ? null : lead.filter();
    if (from >= until || filter == null || !values.canBeFiltered(leaf)) {
      return new Survivors(values, from, until, null);
    }
    return new Survivors(values, from, until, filter.mayHold(values.hashes(leaf), from, until));
  }

  boolean isEmpty() {
    return from >= until || (passed != null && passed.length == 0);
  }

  /** The pages that may hold any of them; null when the file does not say. */
  @Nullable PageHits pages(RowGroup group, int leaf, int number) {
    Lead lead = group.leads().get(number);
    PageBounds bounds = lead == null ? null : lead.pageBounds();
    if (bounds == null || group.chunks().get(leaf).pages() == null) {
      return null;
    }
    PageHits hits = new PageHits(bounds.pages());
    int[] known = passed;
    if (known != null && bounds.isAscending()) {
      byValue(bounds, known, hits);
    } else {
      byPage(bounds, hits);
    }
    return hits;
  }

  /** Most row groups are left a handful of values, and have hundreds of pages. */
  private void byValue(PageBounds bounds, int[] known, PageHits hits) {
    int first = 0;
    for (int value : known) {
      first = notBelow(bounds, value, first);
      for (int page = first;
          page < bounds.pages() && values.compareToLeast(value, bounds, page) >= 0;
          page++) {
        hits.add(page, value);
      }
    }
  }

  /** The first page, from one on, that does not end before a value. */
  private int notBelow(PageBounds bounds, int value, int from) {
    int low = from;
    int high = bounds.pages();
    if (low < high && values.compareToGreatest(value, bounds, low) <= 0) {
      return low;
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (values.compareToGreatest(value, bounds, middle) > 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private void byPage(PageBounds bounds, PageHits hits) {
    for (int page = 0; page < bounds.pages(); page++) {
      if (!bounds.isEmpty(page)) {
        add(hits, page, values.from(bounds, page), values.until(bounds, page));
      }
    }
  }

  /** Notes a page if any of them lies between two values of the batch. */
  private void add(PageHits hits, int page, int first, int end) {
    int[] known = passed;
    if (known == null) {
      hits.add(page, Math.max(first, from), Math.min(end, until));
      return;
    }
    int at = Arrays.binarySearch(known, first);
    int next = at >= 0 ? at : -at - 1;
    int last = Arrays.binarySearch(known, end);
    int after = last >= 0 ? last : -last - 1;
    if (next < after) {
      hits.add(page, known[next], known[after - 1] + 1);
    }
  }
}
