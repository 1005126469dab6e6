package io.onceberg.keystore;

import io.onceberg.keystore.keyfile.KeyColumns;
import io.onceberg.keystore.keyfile.KeyFileRows;
import io.onceberg.keystore.keyfile.UnknownLayoutException;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.LongConsumer;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Merges sorted key files of one day into one. Rows are read in today's columns. */
final class KeyMerging {
  private static final long ROWS_A_REPORT = 1 << 16;

  private final TableImage image;
  private final KeyColumns columns;
  private final boolean payload;
  private final int payloadAt;

  KeyMerging(TableImage image) {
    this.image = image;
    this.columns = image.keyColumns();
    this.payload = image.settings.kind() == TargetKind.EVENTS;
    this.payloadAt = image.identitySchema.columns().size();
  }

  /** Merges a group of {@link MergePlan}. What was written is deleted when that fails. */
  KeyMerge merge(List<StoredFile> group, OutputFileFactory places) {
    return merge(group, places, MergePlan.MOST_ROWS, rows -> {});
  }

  /**
   * Merges files of one day and kind, however large.
   *
   * @param mostRows of a new file
   * @param progress hears from time to time how many rows are merged
   */
  KeyMerge merge(
      List<StoredFile> group, OutputFileFactory places, long mostRows, LongConsumer progress) {
    List<String> order = order(group.get(0));
    KeyRuns run = new KeyRuns(image, order.get(0), group.get(0).day(), mostRows, places);
    boolean done = false;
    try {
      copy(group, new KeyOrder(image.identitySchema, order), run, progress);
      List<DataFile> merged = run.finish();
      KeyMerge merge =
          new KeyMerge(group.stream().map(f -> f.dataFile(image.keys.spec())).toList(), merged);
      done = true;
      return merge;
    } finally {
      if (!done) {
        run.abort();
      }
    }
  }

  private List<String> order(StoredFile file) {
    if (payload) {
      return image.eventOrder();
    }
    return file.allNull(0)
        ? List.of(TableColumns.CONTENT_HASH)
        : List.of(TableColumns.LSN, TableColumns.CONTENT_HASH);
  }

  private void copy(List<StoredFile> group, KeyOrder order, KeyRuns run, LongConsumer progress) {
    long rows = 0;
    PriorityQueue<Cursor> queue = new PriorityQueue<>(group.size());
    List<Cursor> open = new ArrayList<>();
    try {
      for (StoredFile file : group) {
        Cursor cursor = new Cursor(file, order);
        open.add(cursor);
        if (cursor.advance()) {
          queue.add(cursor);
        }
      }
      while (!queue.isEmpty()) {
        Cursor least = queue.remove();
        Cursor next = queue.peek();
        do {
          if (rows++ % ROWS_A_REPORT == 0) {
            progress.accept(rows);
          }
          run.add(least.identity, least.payloadHash);
        } while (least.advance() && (next == null || least.compareTo(next) <= 0));
        if (!least.ended) {
          queue.add(least);
        }
      }
    } finally {
      open.forEach(Cursor::close);
    }
  }

  /** A place in one of the files. */
  private final class Cursor implements Comparable<Cursor> {
    private final KeyOrder order;
    private final CanonicalIdentities canonical = new CanonicalIdentities(image.identityType);
    private final Closeable file;
    private final Iterator<InternalRow> rows;
    private final String path;
    private UnsafeRow identity = new UnsafeRow();
    private long head;
    private long payloadHash;
    private boolean ended;

    Cursor(StoredFile stored, KeyOrder order) {
      this.order = order;
      this.path = stored.path();
      CloseableIterable<InternalRow> opened = open(stored);
      this.file = opened;
      this.rows = opened.iterator();
    }

    private CloseableIterable<InternalRow> open(StoredFile stored) {
      try {
        return new KeyFileRows(
            image.keys.io().newInputFile(stored.path(), stored.size()),
            stored.size(),
            stored.records(),
            columns);
      } catch (UnknownLayoutException e) {
        Schema all = new Schema(columns.columns());
        return StoredRows.read(image.keys.io(), stored, all, Expressions.alwaysTrue());
      }
    }

    boolean advance() {
      if (!rows.hasNext()) {
        ended = true;
        return false;
      }
      InternalRow row = rows.next();
      identity = canonical.of(row).copy();
      head = order.head(identity);
      payloadHash = payload ? row.getLong(payloadAt) : 0;
      return true;
    }

    /** By where they are: most are told apart by the first bytes of their lead column. */
    @Override
    public int compareTo(Cursor other) {
      return head == other.head
          ? order.compare(identity, other.identity)
          : Long.compare(head, other.head);
    }

    void close() {
      try {
        file.close();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot close key file " + path, e);
      }
    }
  }
}
