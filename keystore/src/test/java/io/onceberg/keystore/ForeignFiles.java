package io.onceberg.keystore;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SerializableTable;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.Util;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Rewrites a keys table as other engines might: in any order, encoding, size and compression. */
final class ForeignFiles {
  private ForeignFiles() {}

  /** Puts all rows into one other file for each day; says how. */
  static String rewrite(TargetTables tables, Random random) {
    Table keys = tables.keys();
    keys.refresh();
    String codec = List.of("zstd", "snappy", "gzip", "uncompressed").get(random.nextInt(4));
    Map<String, String> properties =
        Map.of(
            "write.parquet.compression-codec",
            codec,
            "write.parquet.compression-level",
            codec.equals("gzip") ? "BEST_SPEED" : "1",
            "write.parquet.dict-size-bytes",
            List.of("100", "500", "1000000").get(random.nextInt(3)),
            "write.parquet.row-group-size-bytes",
            List.of("2000", "20000", "100000000").get(random.nextInt(3)),
            "write.parquet.row-group-check-min-record-count",
            "50",
            "write.parquet.row-group-check-max-record-count",
            "100",
            "write.parquet.page-row-limit",
            List.of("7", "100", "20000").get(random.nextInt(3)));
    boolean stripped = random.nextInt(3) == 0;
    Set<DataFile> before = new HashSet<>();
    List<UnsafeRow> rows = rows(keys, before);
    if (rows.isEmpty()) {
      return "rewrite-nothing";
    }
    Collections.shuffle(rows, random);
    SerializableTable table = (SerializableTable) SerializableTable.copyOf(keys);
    PartitionedFiles files =
        new PartitionedFiles(
            table,
            keys.schema(),
            new ParquetFiles(table, keys.schema(), properties),
            OutputFileFactory.builderFor(keys, 9, 9)
                .format(FileFormat.PARQUET)
                .operationId(String.valueOf(random.nextLong()))
                .build());
    rows.forEach(files::write);
    Set<DataFile> after = new HashSet<>();
    for (DataFile file : files.finish()) {
      after.add(stripped ? stripped(keys, file) : file);
    }
    RewriteFiles rewrite =
        keys.newRewrite().validateFromSnapshot(keys.currentSnapshot().snapshotId());
    before.forEach(rewrite::deleteFile);
    after.forEach(rewrite::addFile);
    rewrite.commit();
    keys.refresh();
    return "rewrite" + properties + (stripped ? "-stripped" : "");
  }

  private static List<UnsafeRow> rows(Table keys, Set<DataFile> files) {
    Schema schema = keys.schema();
    UnsafeProjection projection = UnsafeProjection.create(SparkSchemaUtil.convert(schema));
    List<UnsafeRow> rows = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = keys.newScan().includeColumnStats().planFiles()) {
      for (FileScanTask task : tasks) {
        files.add(task.file());
        StoredFile file = StoredFile.of(task.file(), StoredFile.NO_DAY, new int[0]);
        try (CloseableIterable<InternalRow> stored =
            StoredRows.read(keys.io(), file, schema, Expressions.alwaysTrue())) {
          stored.forEach(row -> rows.add(projection.apply(row).copy()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  /** The file without page indexes and filters, as old writers leave it. */
  private static DataFile stripped(Table keys, DataFile file) {
    FileIO io = keys.io();
    String location = file.location().replace(".parquet", "-stripped.parquet");
    byte[] bytes;
    try (InputStream in = io.newInputFile(file.location()).newStream()) {
      bytes = in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] plain = strip(bytes);
    try (OutputStream out = io.newOutputFile(location).create()) {
      out.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return DataFiles.builder(keys.spec())
        .copy(file)
        .withPath(location)
        .withFileSizeInBytes(plain.length)
        .build();
  }

  private static byte[] strip(byte[] bytes) {
    int footer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - 8);
    int start = bytes.length - 8 - footer;
    try {
      FileMetaData metadata = Util.readFileMetaData(new ByteArrayInputStream(bytes, start, footer));
      metadata
          .getRow_groups()
          .forEach(
              group ->
                  group
                      .getColumns()
                      .forEach(
                          chunk -> {
                            chunk.unsetColumn_index_offset();
                            chunk.unsetColumn_index_length();
                            chunk.unsetOffset_index_offset();
                            chunk.unsetOffset_index_length();
                            chunk.getMeta_data().unsetBloom_filter_offset();
                            chunk.getMeta_data().unsetStatistics();
                          }));
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.write(bytes, 0, start);
      Util.writeFileMetaData(metadata, out);
      int length = out.size() - start;
      out.write(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(length).array(), 0, 4);
      out.writeBytes(Arrays.copyOfRange(bytes, bytes.length - 4, bytes.length));
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
