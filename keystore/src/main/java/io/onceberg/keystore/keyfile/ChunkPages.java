package io.onceberg.keystore.keyfile;

import io.onceberg.keystore.keyfile.FileColumns.FileLeaf;
import io.onceberg.keystore.keyfile.FileIndex.Chunk;
import io.onceberg.keystore.keyfile.FileIndex.Pages;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.parquet.format.PageType;

/**
 * Reads the wanted pages of one column chunk, neighbours in one go. A chunk whose file has no page
 * index is read as a whole.
 */
final class ChunkPages {
  /** Unwanted bytes that are read rather than skipped. */
  private static final int GAP = 32 << 10;

  private static final int MOST_AT_ONCE = 8 << 20;

  private final SeekableInputStream stream;
  private final Chunk chunk;
  private final int rows;
  private final PageDecoding decoding;
  private final Pages pages;
  private boolean dictionaryRead;
  private byte[] buffer = {};
  private long bufferStart;

  ChunkPages(
      SeekableInputStream stream, FileLeaf leaf, Chunk chunk, int rows, Decompression decompression)
      throws IOException {
    this.stream = stream;
    this.chunk = chunk;
    this.rows = rows;
    this.decoding = new PageDecoding(leaf, chunk.codec(), decompression);
    Pages known = chunk.pages();
    this.pages = known != null ? known : readWhole();
  }

  Pages pages() {
    return pages;
  }

  int end(int page) {
    return pages.end(page, rows);
  }

  /** The page that has a row. */
  int pageOf(int row) {
    int at = Arrays.binarySearch(pages.firstRows(), row);
    return at >= 0 ? at : -at - 2;
  }

  /**
   * The values of a page.
   *
   * @param wanted all pages that will be asked for, in order, so that they are read together
   * @param number the place of this page among them
   */
  PageValues read(int[] wanted, int number) throws IOException {
    int page = wanted[number];
    if (!dictionaryRead) {
      readDictionary();
    }
    long from = pages.offsets()[page];
    int length = pages.sizes()[page];
    if (!isBuffered(from, length)) {
      fill(from, end(wanted, number));
    }
    return decoding.page(buffer, (int) (from - bufferStart), length);
  }

  /** The values of these pages. */
  LeafPages read(int[] wanted) throws IOException {
    LeafPages.Builder values = new LeafPages.Builder();
    for (int i = 0; i < wanted.length; i++) {
      values.add(read(wanted, i), pages.firstRows()[wanted[i]]);
    }
    return values.build();
  }

  private boolean isBuffered(long from, int length) {
    return from >= bufferStart && from + length <= bufferStart + buffer.length;
  }

  /** The end of the range that is read together with a page. */
  private long end(int[] wanted, int number) {
    long start = pages.offsets()[wanted[number]];
    long end = start + pages.sizes()[wanted[number]];
    for (int i = number + 1; i < wanted.length; i++) {
      long next = pages.offsets()[wanted[i]];
      long nextEnd = next + pages.sizes()[wanted[i]];
      if (next - end > GAP || nextEnd - start > MOST_AT_ONCE) {
        break;
      }
      end = nextEnd;
    }
    return end;
  }

  private void fill(long from, long until) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(until - from)];
    stream.seek(from);
    if (stream.readNBytes(bytes, 0, bytes.length) < bytes.length) {
      throw new IOException("the file ends within a page");
    }
    buffer = bytes;
    bufferStart = from;
  }

  /** The dictionary lies between the start of the chunk and its first data page. */
  private void readDictionary() throws IOException {
    dictionaryRead = true;
    long first = pages.offsets().length == 0 ? chunk.start() : pages.offsets()[0];
    int length = Math.toIntExact(first - chunk.start());
    if (length > 0) {
      if (!isBuffered(chunk.start(), length)) {
        fill(chunk.start(), first);
      }
      decoding.dictionary(buffer, (int) (chunk.start() - bufferStart), length);
    }
  }

  private Pages readWhole() throws IOException {
    fill(chunk.start(), chunk.start() + chunk.length());
    List<long[]> found = new ArrayList<>();
    int at = 0;
    int row = 0;
    while (at < buffer.length && row < rows) {
      PageDecoding.Header header = PageDecoding.Header.read(buffer, at, buffer.length - at);
      int next = header.body() + header.header().getCompressed_page_size();
      if (header.header().getType() != PageType.DICTIONARY_PAGE) {
        found.add(new long[] {bufferStart + at, next - at, row});
        row += header.rows();
      }
      at = next;
    }
    if (row != rows) {
      throw new UnknownLayoutException("%d rows in the pages of %d".formatted(row, rows));
    }
    Pages whole = new Pages(new long[found.size()], new int[found.size()], new int[found.size()]);
    for (int i = 0; i < found.size(); i++) {
      whole.offsets()[i] = found.get(i)[0];
      whole.sizes()[i] = (int) found.get(i)[1];
      whole.firstRows()[i] = (int) found.get(i)[2];
    }
    return whole;
  }

  /** The pages that have any of these rows, which are in order. */
  int[] having(int[] wanted) {
    int[] found = new int[Math.min(wanted.length, pages.count())];
    int n = 0;
    int end = -1;
    for (int row : wanted) {
      if (row >= end) {
        int page = pageOf(row);
        end = end(page);
        found[n++] = page;
      }
    }
    return Arrays.copyOf(found, n);
  }

  int[] all() {
    int[] all = new int[pages.count()];
    Arrays.setAll(all, i -> i);
    return all;
  }

  /** How many rows these pages have. */
  int rows(int[] wanted) {
    int count = 0;
    for (int page : wanted) {
      count += end(page) - pages.firstRows()[page];
    }
    return count;
  }
}
