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
    long[] hashes = values.hashes(leaf);
    int[] passed = new int[until - from];
    int count = 0;
    for (int i = from; i < until; i++) {
      if (filter.mayHold(hashes[i])) {
        passed[count++] = i;
      }
    }
    return new Survivors(values, from, until, Arrays.copyOf(passed, count));
  }

  boolean isEmpty() {
    return from >= until || (passed != null && passed.length == 0);
  }

  /** The pages that may hold any of them; null when the file does not say. */
  int @Nullable [] pages(RowGroup group, int leaf, int number) {
    Lead lead = group.leads().get(number);
    PageBounds bounds = lead == null ? null : lead.pageBounds();
    if (bounds == null || group.chunks().get(leaf).pages() == null) {
      return null;
    }
    int[] found = new int[bounds.pages()];
    int count = 0;
    for (int page = 0; page < found.length; page++) {
      if (!bounds.isEmpty(page) && any(values.from(bounds, page), values.until(bounds, page))) {
        found[count++] = page;
      }
    }
    return Arrays.copyOf(found, count);
  }

  /** Whether any of them lies between two values of the batch. */
  private boolean any(int first, int end) {
    int[] known = passed;
    if (known == null) {
      return Math.max(first, from) < Math.min(end, until);
    }
    int at = Arrays.binarySearch(known, first);
    int next = at >= 0 ? at : -at - 1;
    return next < known.length && known[next] < end;
  }
}
