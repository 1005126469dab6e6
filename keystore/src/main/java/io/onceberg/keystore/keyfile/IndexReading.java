package io.onceberg.keystore.keyfile;

import io.onceberg.keystore.keyfile.FileColumns.FileLeaf;
import io.onceberg.keystore.keyfile.FileIndex.Chunk;
import io.onceberg.keystore.keyfile.FileIndex.Lead;
import io.onceberg.keystore.keyfile.FileIndex.Pages;
import io.onceberg.keystore.keyfile.FileIndex.RowGroup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.io.InputFile;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.values.bloomfilter.BloomFilter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/** Reads the index of one key file. */
final class IndexReading {
  private static final ParquetReadOptions OPTIONS = ParquetReadOptions.builder().build();

  /** A footer, page indexes and filters of so many bytes and so many more for each row. */
  private static final long TAIL = 64 << 10;

  private static final long TAIL_PER_ROW = 5;

  private final KeyColumns columns;
  private final ParquetFileReader reader;
  private long weight = 512;

  private IndexReading(KeyColumns columns, ParquetFileReader reader) {
    this.columns = columns;
    this.reader = reader;
  }

  /**
   * Reads the index.
   *
   * @param length of the file in bytes
   * @param rows in the file
   * @throws UnknownLayoutException when the columns are stored in a form that is not known here
   */
  static FileIndex read(InputFile file, long length, long rows, KeyColumns columns)
      throws IOException {
    return readTail(file, length, tail(rows, columns), columns);
  }

  /** Reads only where the columns and their pages lie, for those who read all rows. */
  static FileIndex readPlaces(InputFile file, long length, long rows, KeyColumns columns)
      throws IOException {
    KeyColumns withoutLeads = new KeyColumns(columns.columns(), List.of());
    return readTail(file, length, tail(rows, columns), withoutLeads);
  }

  private static long tail(long rows, KeyColumns columns) {
    return TAIL + (columns.leads().isEmpty() ? 0 : TAIL_PER_ROW * rows);
  }

  private static FileIndex readTail(InputFile file, long length, long tail, KeyColumns columns)
      throws IOException {
    try (ParquetFileReader reader =
        ParquetFileReader.open(new ParquetInput(file, length, tail), OPTIONS)) {
      return new IndexReading(columns, reader).read();
    }
  }

  private FileIndex read() throws IOException {
    FileColumns found = new FileColumns(columns.columns(), reader.getFileMetaData().getSchema());
    int[] leads = new int[columns.leads().size()];
    for (int i = 0; i < leads.length; i++) {
      leads[i] = ((FileColumns.Leaf) found.columns.get(columns.leads().get(i))).leaf();
    }
    List<RowGroup> groups = new ArrayList<>();
    for (BlockMetaData block : reader.getRowGroups()) {
      groups.add(rowGroup(block, found, leads));
    }
    return new FileIndex(found, leads, List.copyOf(groups), weight);
  }

  private RowGroup rowGroup(BlockMetaData block, FileColumns found, int[] leads)
      throws IOException {
    Map<ColumnPath, ColumnChunkMetaData> stored = new HashMap<>();
    block.getColumns().forEach(chunk -> stored.put(chunk.getPath(), chunk));
    List<Chunk> chunks = new ArrayList<>();
    List<ColumnChunkMetaData> sources = new ArrayList<>();
    for (FileLeaf leaf : found.leaves) {
      ColumnChunkMetaData chunk = stored.get(ColumnPath.get(leaf.descriptor().getPath()));
      if (chunk == null || chunk.isEncrypted()) {
        throw new UnknownLayoutException("a row group without column " + leaf.descriptor());
      }
      sources.add(chunk);
      chunks.add(chunk(chunk));
    }
    List<@Nullable Lead> known = new ArrayList<>();
    for (int i = 0; i < leads.length; i++) {
      known.add(
          leads[i] < 0
              ? null
              : lead(columns.leadType(i), sources.get(leads[i]), chunks.get(leads[i])));
    }
    return new RowGroup(Math.toIntExact(block.getRowCount()), chunks, known);
  }

  private Chunk chunk(ColumnChunkMetaData chunk) throws IOException {
    OffsetIndex index = reader.readOffsetIndex(chunk);
    weight += 96;
    Pages pages = null;
    if (index != null) {
      int count = index.getPageCount();
      pages = new Pages(new long[count], new int[count], new int[count]);
      for (int i = 0; i < count; i++) {
        pages.offsets()[i] = index.getOffset(i);
        pages.sizes()[i] = index.getCompressedPageSize(i);
        pages.firstRows()[i] = Math.toIntExact(index.getFirstRowIndex(i));
      }
      weight += 64 + 16L * count;
    }
    return new Chunk(chunk.getStartingPos(), chunk.getTotalSize(), chunk.getCodec(), pages);
  }

  private Lead lead(LeadType type, ColumnChunkMetaData source, Chunk chunk) throws IOException {
    PrimitiveTypeName physical = source.getPrimitiveType().getPrimitiveTypeName();
    Statistics<?> statistics = source.getStatistics();
    boolean counted = statistics != null && statistics.isNumNullsSet();
    Lead lead =
        new Lead(
            counted ? statistics.getNumNulls() : -1,
            bounds(type, physical, statistics),
            chunk.pages() == null ? null : pageBounds(type, physical, source, chunk.pages()),
            filter(source));
    weight += 64 + (lead.bounds() == null ? 0 : lead.bounds().weight());
    weight += lead.pageBounds() == null ? 0 : lead.pageBounds().weight();
    weight += lead.filter() == null ? 0 : lead.filter().weight();
    return lead;
  }

  private static @Nullable PageBounds bounds(
      LeadType type, PrimitiveTypeName physical, @Nullable Statistics<?> statistics) {
    if (statistics == null || !statistics.hasNonNullValue()) {
      return null;
    }
    PageBounds bounds = new PageBounds(1, type.numeric());
    set(bounds, 0, type, physical, statistics.getMinBytes(), statistics.getMaxBytes());
    return bounds;
  }

  private @Nullable PageBounds pageBounds(
      LeadType type, PrimitiveTypeName physical, ColumnChunkMetaData source, Pages pages)
      throws IOException {
    ColumnIndex index = reader.readColumnIndex(source);
    if (index == null || index.getNullPages().size() != pages.count()) {
      return null;
    }
    List<ByteBuffer> least = index.getMinValues();
    List<ByteBuffer> greatest = index.getMaxValues();
    PageBounds bounds = new PageBounds(pages.count(), type.numeric());
    for (int i = 0; i < pages.count(); i++) {
      if (index.getNullPages().get(i)) {
        bounds.setEmpty(i);
      } else {
        set(bounds, i, type, physical, bytes(least.get(i)), bytes(greatest.get(i)));
      }
    }
    bounds.settle();
    return bounds;
  }

  private static void set(
      PageBounds bounds,
      int page,
      LeadType type,
      PrimitiveTypeName physical,
      byte[] least,
      byte[] greatest) {
    if (type.numeric()) {
      bounds.set(page, LeadType.numberOf(physical, least), LeadType.numberOf(physical, greatest));
    } else {
      bounds.set(page, type.bytesOf(physical, least), type.bytesOf(physical, greatest));
    }
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private @Nullable BloomBits filter(ColumnChunkMetaData source) throws IOException {
    if (source.getBloomFilterOffset() < 0) {
      return null;
    }
    BloomFilter filter = reader.readBloomFilter(source);
    return filter == null ? null : BloomBits.of(filter);
  }
}
