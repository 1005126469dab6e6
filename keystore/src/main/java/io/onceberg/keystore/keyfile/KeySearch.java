package io.onceberg.keystore.keyfile;

import io.onceberg.keystore.keyfile.FileIndex.Lead;
import io.onceberg.keystore.keyfile.FileIndex.RowGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.function.Consumer;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/**
 * Searches key files for the identities of one batch. Used by one thread.
 *
 * <p>Narrows down in steps, each of which can only leave out what is not there: bounds and filters
 * of a row group, bounds of the lead column's pages, the lead column's values. Of the rows that
 * remain, the other columns are read. Whether such a row is an identity of the batch is for the
 * caller to say.
 */
public final class KeySearch implements AutoCloseable {
  private final KeyColumns columns;
  private final KeyBatch batch;
  private final long memory;
  private final Decompression decompression = new Decompression();
  private final SearchCounts counts;

  /**
   * Prepares a search.
   *
   * @param memory the bytes that indexes of this JVM may take in memory
   */
  public KeySearch(KeyColumns columns, KeyBatch batch, long memory, SearchCounts counts) {
    this.columns = columns;
    this.batch = batch;
    this.memory = memory;
    this.counts = counts;
  }

  /**
   * Gives all rows of a file that may be an identity of the batch: every one that is, and few
   * others.
   *
   * @param length of the file in bytes
   * @param rows in the file
   * @throws UnknownLayoutException when the file has to be read by Iceberg; some rows may have been
   *     given by then
   */
  public void search(InputFile file, long length, long rows, Candidates candidates) {
    try {
      FileIndex index =
          FileIndexes.SHARED.get(
              new FileIndexes.Key(file.location(), columns),
              memory,
              () -> {
                counts.indexRead();
                return IndexReading.read(file, length, rows, columns);
              });
      search(file, index, candidates);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read key file " + file.location(), e);
    }
  }

  private void search(InputFile file, FileIndex index, Candidates candidates) throws IOException {
    try (OpenOnDemand open = new OpenOnDemand(file)) {
      for (RowGroup group : index.rowGroups()) {
        search(open, index, group, candidates);
      }
    }
  }

  /** A file that is opened when the first value is read. */
  private static final class OpenOnDemand implements AutoCloseable {
    private final InputFile file;
    private @Nullable SeekableInputStream stream;

    OpenOnDemand(InputFile file) {
      this.file = file;
    }

    SeekableInputStream stream() {
      SeekableInputStream known = stream;
      if (known == null) {
        known = file.newStream();
        stream = known;
      }
      return known;
    }

    @Override
    public void close() throws IOException {
      if (stream != null) {
        stream.close();
      }
    }
  }

  private void search(OpenOnDemand open, FileIndex index, RowGroup group, Candidates candidates)
      throws IOException {
    boolean onlyLeads = false;
    for (int i = 0; i < index.leads().length && !onlyLeads; i++) {
      Lead lead = group.leads().get(i);
      LeadValues values = batch.lead(i);
      if (lead == null) {
        continue;
      }
      if (values != null && lead.nulls() != group.rows()) {
        byLead(open, index, group, i, values, candidates);
      }
      onlyLeads = !lead.mayHoldNull();
    }
    if (batch.anyWithoutLead() && !onlyLeads) {
      int[] all = new int[group.rows()];
      Arrays.setAll(all, row -> row);
      int[] places = batch.withoutLead();
      give(
          open,
          index,
          group,
          all,
          all.length,
          reading -> {},
          (row, match) -> candidates.offer(row, places, 0, places.length, false));
    }
  }

  private void byLead(
      OpenOnDemand open,
      FileIndex index,
      RowGroup group,
      int number,
      LeadValues values,
      Candidates candidates)
      throws IOException {
    Survivors survivors = Survivors.of(values, group.leads().get(number), index.leadLeaf(number));
    if (survivors.isEmpty()) {
      return;
    }
    int leaf = index.leads()[number];
    PageHits hits = survivors.pages(group, leaf, number);
    int[] wanted = hits == null ? null : hits.pages();
    if (wanted != null && wanted.length == 0) {
      return;
    }
    ChunkPages chunk =
        new ChunkPages(
            open.stream(),
            index.columns().leaves.get(leaf),
            group.chunks().get(leaf),
            group.rows(),
            decompression);
    if (wanted == null) {
      wanted = chunk.all();
    }
    Matches matches = new Matches(chunk.rows(wanted));
    LeafPages.Builder matched = new LeafPages.Builder();
    for (int i = 0; i < wanted.length; i++) {
      PageValues page = chunk.read(wanted, i);
      int firstRow = chunk.pages().firstRows()[wanted[i]];
      int first = hits == null ? survivors.from() : hits.from(wanted[i]);
      int end = hits == null ? survivors.until() : hits.until(wanted[i]);
      int before = matches.count();
      values.match(page, first, end, firstRow, matches);
      if (matches.count() > before) {
        matched.add(page, firstRow);
      }
    }
    counts.leadPagesRead(wanted.length);
    int[] places = values.places();
    give(
        open,
        index,
        group,
        matches.rows(),
        matches.count(),
        reading -> reading.known(leaf, matched.build()),
        (row, match) -> {
          int value = matches.value(match);
          candidates.offer(
              row, places, values.firstPlace(value), values.firstPlace(value + 1), true);
        });
  }

  /** Takes a row and its number among those that are read. */
  @FunctionalInterface
  private interface Numbered {
    void offer(InternalRow row, int number);
  }

  private void give(
      OpenOnDemand open,
      FileIndex index,
      RowGroup group,
      int[] rows,
      int count,
      Consumer<RowReading> known,
      Numbered candidates)
      throws IOException {
    for (int from = 0; from < count; from += RowReading.MOST_ROWS) {
      int until = Math.min(count, from + RowReading.MOST_ROWS);
      RowReading reading =
          new RowReading(open.stream(), index.columns(), group, decompression, rows, from, until);
      known.accept(reading);
      ColumnarBatch read = reading.read(columns.sparkType());
      for (int i = 0; i < read.numRows(); i++) {
        candidates.offer(read.getRow(i), from + i);
      }
      counts.rowPagesRead(reading.pagesRead());
    }
  }

  @Override
  public void close() {
    decompression.close();
  }
}
