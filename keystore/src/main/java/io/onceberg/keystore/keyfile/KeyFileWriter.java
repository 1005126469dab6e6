package io.onceberg.keystore.keyfile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.ParquetSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;

/**
 * Writes one key file. Rows come in the order of the lead column; they are kept until their page is
 * full.
 *
 * <p>The columns are those of an identity, then a number beside it where there is one, then the
 * day, which all rows of a file share.
 */
public final class KeyFileWriter implements AutoCloseable {
  private static final long ROWS_OF_A_SMALL_FILE = 1 << 16;

  /** The day is no reason to cut a page, and a page costs more than a day in all its rows. */
  private static final int PAGE_ROWS_OF_THE_DAY = 1 << 15;

  private final ParquetOutput file;
  private final KeyFileLayout layout;
  private final int day;
  private final boolean payload;
  private final MessageType parquet;
  private final Schema schema;
  private final List<LeafWriting> leaves = new ArrayList<>();
  private final LeafWriting lead;
  private final @Nullable FilterBuilder filter;
  private final Compression compression;
  private final ParquetFileWriter writer;
  private final UnsafeRow[] rows;
  private final long[] payloads;
  private @Nullable ColumnChunkPageWriteStore group;
  private int pageRows;
  private int dayRows;
  private int groupRows;
  private long allRows;

  /**
   * Opens a file.
   *
   * @param schema the columns of an identity, a number where {@code payload} says so, and the day
   * @param day days since the epoch
   */
  public KeyFileWriter(
      OutputFile file, Schema schema, boolean payload, int day, KeyFileLayout layout) {
    this.file = new ParquetOutput(file);
    this.schema = schema;
    this.layout = layout;
    this.day = day;
    this.payload = payload;
    this.parquet =
        MessageTypeParser.parseMessageType(ParquetSchemaUtil.convert(schema, "table").toString());
    addLeaves(schema.columns(), parquet, new String[0], new int[0], new int[0]);
    this.lead = leaves.stream().filter(leaf -> leaf.isAt(layout.lead())).findFirst().orElseThrow();
    this.filter = layout.filtered() ? new FilterBuilder() : null;
    this.compression = new Compression(layout.zstdLevel());
    this.rows = new UnsafeRow[layout.pageRows()];
    this.payloads = new long[layout.pageRows()];
    try {
      this.writer =
          new ParquetFileWriter(
              this.file,
              parquet,
              ParquetFileWriter.Mode.OVERWRITE,
              Long.MAX_VALUE,
              0,
              ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH,
              ParquetProperties.DEFAULT_STATISTICS_TRUNCATE_LENGTH,
              false);
      writer.start();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private void addLeaves(
      List<NestedField> fields, GroupType group, String[] names, int[] path, int[] widths) {
    for (int i = 0; i < fields.size(); i++) {
      Type type = fields.get(i).type();
      String[] name = Arrays.copyOf(names, names.length + 1);
      name[names.length] = group.getFieldName(i);
      int[] place = Arrays.copyOf(path, path.length + 1);
      place[path.length] = i;
      if (type instanceof Types.StructType struct) {
        int[] inner = Arrays.copyOf(widths, widths.length + 1);
        inner[widths.length] = struct.fields().size();
        addLeaves(struct.fields(), group.getType(i).asGroupType(), name, place, inner);
      } else {
        boolean hash = path.length == 0 && payload && i == fields.size() - 2;
        boolean isDay = path.length == 0 && i == fields.size() - 1;
        int room = isDay ? Math.max(PAGE_ROWS_OF_THE_DAY, layout.pageRows()) : layout.pageRows();
        leaves.add(
            new LeafWriting(parquet.getColumnDescription(name), type, place, widths, room, hash));
      }
    }
  }

  /** Whether files of these columns can be written here. */
  public static boolean writes(Schema schema) {
    return schema.columns().stream().allMatch(KeyFileWriter::writes);
  }

  private static boolean writes(NestedField field) {
    if (field.isRequired()) {
      return false;
    }
    return switch (field.type().typeId()) {
      case STRUCT -> field.type().asStructType().fields().stream().allMatch(KeyFileWriter::writes);
      case BOOLEAN, INTEGER, LONG, FLOAT, DOUBLE, DATE, TIMESTAMP -> true;
      case STRING, UUID, FIXED, BINARY, DECIMAL -> true;
      default -> false;
    };
  }

  /**
   * Adds an identity, which must not change until the file is closed.
   *
   * @param number stored beside it, where the file has such a column
   */
  public void add(UnsafeRow identity, long number) {
    rows[pageRows] = identity;
    payloads[pageRows] = number;
    pageRows++;
    if (pageRows == layout.pageRows()) {
      writePage();
    }
  }

  private void writePage() {
    if (pageRows == 0) {
      return;
    }
    ColumnChunkPageWriteStore store = group;
    if (store == null) {
      store =
          new ColumnChunkPageWriteStore(
              compression,
              parquet,
              HeapByteBufferAllocator.getInstance(),
              ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH,
              false);
      group = store;
    }
    try {
      for (int i = 0; i < leaves.size() - 1; i++) {
        take(i);
        leaves.get(i).write(store.getPageWriter(leaves.get(i).descriptor), pageRows);
      }
      if (dayRows + pageRows > PAGE_ROWS_OF_THE_DAY) {
        writeDay(store);
      }
      dayRows += pageRows;
    } catch (IOException e) {
      throw failed(e);
    }
    if (filter != null) {
      lead.addTo(filter);
    }
    groupRows += pageRows;
    allRows += pageRows;
    pageRows = 0;
    if (groupRows >= layout.groupRows()) {
      writeGroup();
    }
  }

  private void take(int leaf) {
    LeafWriting writing = leaves.get(leaf);
    if (payload && leaf == leaves.size() - 2) {
      writing.takeNumbers(payloads, pageRows);
    } else {
      writing.take(rows, pageRows);
    }
  }

  private void writeDay(ColumnChunkPageWriteStore store) throws IOException {
    if (dayRows > 0) {
      LeafWriting leaf = leaves.get(leaves.size() - 1);
      leaf.takeConstant(day, dayRows);
      leaf.write(store.getPageWriter(leaf.descriptor), dayRows);
      dayRows = 0;
    }
  }

  private void writeGroup() {
    ColumnChunkPageWriteStore store = group;
    if (store == null) {
      return;
    }
    try {
      writeDay(store);
      for (LeafWriting leaf : leaves) {
        leaf.finish(store.getPageWriter(leaf.descriptor));
      }
      if (filter != null) {
        store
            .getBloomFilterWriter(lead.descriptor)
            .writeBloomFilter(filter.finish(allRows <= ROWS_OF_A_SMALL_FILE));
      }
      writer.startBlock(groupRows);
      store.flushToFileWriter(writer);
      writer.endBlock();
      store.close();
    } catch (IOException e) {
      throw failed(e);
    }
    group = null;
    groupRows = 0;
  }

  /** Where the file is. */
  public String location() {
    return file.getPath();
  }

  /** What a finished file is. */
  public record Written(String location, long size, Metrics metrics, List<Long> splitOffsets) {}

  /** Writes what is left and closes the file. */
  public Written finish() {
    writePage();
    writeGroup();
    try {
      writer.end(Map.of("iceberg.schema", SchemaParser.toJson(schema)));
      writer.close();
      compression.release();
      FileMetrics metrics = FileMetrics.of(writer.getFooter(), allRows, schema);
      return new Written(file.getPath(), file.length(), metrics.metrics(), metrics.splitOffsets());
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Closes a file that will not be finished. */
  @Override
  public void close() {
    try {
      writer.close();
    } catch (IOException e) {
      throw failed(e);
    }
    compression.release();
  }

  private UncheckedIOException failed(IOException e) {
    return new UncheckedIOException("cannot write key file " + file.getPath(), e);
  }
}
