package io.onceberg.keystore.keyfile;

import io.onceberg.keystore.keyfile.FileIndex.RowGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/** All rows of one key file in their order. Can be read once; rows are reused. */
public final class KeyFileRows implements CloseableIterable<InternalRow> {
  private static final int ROWS_AT_ONCE = 1 << 13;

  private final String location;
  private final FileIndex index;
  private final StructType type;
  private final SeekableInputStream stream;
  private final Decompression decompression = new Decompression();

  /**
   * Opens a file.
   *
   * @param length of the file in bytes
   * @param rows in the file
   * @throws UnknownLayoutException when the file has to be read by Iceberg
   */
  public KeyFileRows(InputFile file, long length, long rows, KeyColumns columns) {
    this.location = file.location();
    this.type = columns.sparkType();
    try {
      this.index = IndexReading.readPlaces(file, length, rows, columns);
    } catch (IOException e) {
      throw failed(e);
    }
    this.stream = file.newStream();
  }

  @Override
  public CloseableIterator<InternalRow> iterator() {
    return CloseableIterator.withClose(new Rows());
  }

  @Override
  public void close() throws IOException {
    decompression.close();
    stream.close();
  }

  private UncheckedIOException failed(IOException e) {
    return new UncheckedIOException("cannot read key file " + location, e);
  }

  private final class Rows implements Iterator<InternalRow> {
    private int group;
    private int nextRow;
    private Iterator<InternalRow> read = Collections.emptyIterator();

    @Override
    public boolean hasNext() {
      while (true) {
        if (read.hasNext()) {
          return true;
        }
        if (group == index.rowGroups().size()) {
          return false;
        }
        read = readMore(index.rowGroups().get(group));
      }
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return read.next();
    }

    private Iterator<InternalRow> readMore(RowGroup from) {
      int count = Math.min(from.rows() - nextRow, atOnce(from));
      int[] rows = new int[count];
      for (int i = 0; i < count; i++) {
        rows[i] = nextRow + i;
      }
      try {
        RowReading reading =
            new RowReading(stream, index.columns(), from, decompression, rows, 0, count);
        nextRow += count;
        if (nextRow == from.rows()) {
          group++;
          nextRow = 0;
        }
        return reading.read(type).rowIterator();
      } catch (IOException e) {
        throw failed(e);
      }
    }

    /** Without an index of its pages a chunk can only be read as a whole. */
    private int atOnce(RowGroup from) {
      return from.chunks().stream().anyMatch(chunk -> chunk.pages() == null)
          ? from.rows()
          : ROWS_AT_ONCE;
    }
  }
}
