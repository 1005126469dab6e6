package io.onceberg.keystore.keyfile;

import java.util.List;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;

/**
 * All that a search needs to know of one key file before it reads values: where its columns lie,
 * their pages, the bounds and filters of the lead columns. Never changes; shared by all tasks of a
 * JVM.
 *
 * @param leads for each lead column its leaf; -1 when the file lacks the column
 * @param weight about how many bytes of memory it takes
 */
record FileIndex(FileColumns columns, int[] leads, List<RowGroup> rowGroups, long weight) {
  FileColumns.FileLeaf leadLeaf(int number) {
    return columns.leaves.get(leads[number]);
  }

  /**
   * Some rows of the file.
   *
   * @param chunks by leaf
   * @param leads by lead column; null when the file lacks the column
   */
  record RowGroup(int rows, List<Chunk> chunks, List<@Nullable Lead> leads) {}

  /**
   * The values of one column in one row group.
   *
   * @param pages where its pages lie; null when the file does not say
   */
  record Chunk(long start, long length, CompressionCodecName codec, @Nullable Pages pages) {}

  /**
   * Data pages of a chunk, in order.
   *
   * @param offsets from the beginning of the file
   * @param sizes bytes, header included
   * @param firstRows the first row of each page, counted within the row group
   */
  record Pages(long[] offsets, int[] sizes, int[] firstRows) {
    int count() {
      return offsets.length;
    }

    /** The row after the last one of a page. */
    int end(int page, int rows) {
      return page + 1 < firstRows.length ? firstRows[page + 1] : rows;
    }
  }

  /**
   * What is known of a lead column's values in one row group.
   *
   * @param nulls -1 when not known
   * @param bounds of all of it, as of one page; null when not known
   * @param pageBounds null when not known
   */
  record Lead(
      long nulls,
      @Nullable PageBounds bounds,
      @Nullable PageBounds pageBounds,
      @Nullable BloomBits filter) {
    boolean mayHoldNull() {
      return nulls != 0;
    }
  }
}
