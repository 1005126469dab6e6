package io.onceberg.keystore;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SerializableTable;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.io.FileWriterFactory;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.io.RollingDataWriter;
import org.apache.iceberg.util.PropertyUtil;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Writes rows of one table into the files of their partitions. At most {@value #OPEN} partitions
 * have an open file; beyond that the one that was idle longest is closed.
 */
final class PartitionedFiles {
  private static final int OPEN = 64;

  private final SerializableTable table;
  private final PartitionSpec spec;
  private final FileWriterFactory<InternalRow> files;
  private final OutputFileFactory places;
  private final long targetFileSize;
  private final PartitionKey partition;
  private final RowStruct struct;
  private final Map<PartitionKey, RollingDataWriter<InternalRow>> open =
      new LinkedHashMap<>(16, 0.75f, true);
  private final List<DataFile> finished = new ArrayList<>();

  PartitionedFiles(
      SerializableTable table,
      Schema schema,
      FileWriterFactory<InternalRow> files,
      OutputFileFactory places) {
    this.table = table;
    this.spec = table.spec();
    this.files = files;
    this.places = places;
    this.targetFileSize =
        PropertyUtil.propertyAsLong(
            table.properties(),
            TableProperties.WRITE_TARGET_FILE_SIZE_BYTES,
            TableProperties.WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT);
    this.partition = new PartitionKey(spec, schema);
    this.struct = new RowStruct(schema.asStruct());
  }

  void write(InternalRow row) {
    if (spec.isPartitioned()) {
      partition.partition(struct.wrap(row));
    }
    RollingDataWriter<InternalRow> writer = open.get(partition);
    if (writer == null) {
      writer = open();
    }
    writer.write(row);
  }

  private RollingDataWriter<InternalRow> open() {
    if (open.size() == OPEN) {
      Iterator<RollingDataWriter<InternalRow>> idlest = open.values().iterator();
      RollingDataWriter<InternalRow> idle = idlest.next();
      idlest.remove();
      finish(idle);
    }
    PartitionKey key = partition.copy();
    RollingDataWriter<InternalRow> writer =
        new RollingDataWriter<>(files, places, table.io(), targetFileSize, spec, key);
    open.put(key, writer);
    return writer;
  }

  private void finish(RollingDataWriter<InternalRow> writer) {
    close(writer);
    finished.addAll(writer.result().dataFiles());
  }

  /** Closes the open files and returns all files written. */
  List<DataFile> finish() {
    List<RollingDataWriter<InternalRow>> writers = List.copyOf(open.values());
    open.clear();
    writers.forEach(this::finish);
    return List.copyOf(finished);
  }

  /** Deletes all files written. */
  void abort() {
    for (DataFile file : finish()) {
      table.io().deleteFile(file.location());
    }
  }

  private void close(Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot finish a data file of table " + table.name(), e);
    }
  }
}
