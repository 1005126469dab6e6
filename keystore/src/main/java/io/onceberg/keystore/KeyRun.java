package io.onceberg.keystore;

import io.onceberg.keystore.keyfile.KeyColumns;
import io.onceberg.keystore.keyfile.KeyFileLayout;
import io.onceberg.keystore.keyfile.KeyFileWriter;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.encryption.PlaintextEncryptionManager;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.util.PropertyUtil;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;

/**
 * One sorted run of keys of one day. Written in the layout that lookups like best, unless someone
 * gave the table columns, partitions or an encryption that only Iceberg's own writer knows.
 */
final class KeyRun {
  /** Positions are looked up by neighbourhood, keys one by one. */
  private static final int ROWS_OF_POSITIONS = 4_096;

  private static final int ROWS_OF_KEYS = 512;
  private static final int ROWS_OF_A_GROUP = 1 << 18;
  private static final int ZSTD_LEVEL = 1;

  private final TableImage image;
  private final boolean payload;
  private final PartitionSpec spec;
  private final PartitionKey partition;
  private final @Nullable KeyFileWriter writer;
  private final @Nullable PartitionedFiles others;
  private final GenericInternalRow tail;
  private final JoinedRow joined = new JoinedRow();

  /**
   * Opens a file.
   *
   * @param lead the column by which rows come sorted
   * @param day days since the epoch
   */
  KeyRun(TableImage image, String lead, int day, OutputFileFactory places) {
    this.image = image;
    this.payload = image.settings.kind() == TargetKind.EVENTS;
    this.spec = image.keys.spec();
    this.partition = new PartitionKey(spec, image.keySchema);
    this.tail = new GenericInternalRow(payload ? 2 : 1);
    tail.setInt(payload ? 1 : 0, day);
    if (ownLayout()) {
      if (spec.isPartitioned()) {
        partition.partition(
            new RowStruct(image.keySchema.asStruct())
                .wrap(joined.apply(nothing(image.identitySchema.columns().size()), tail)));
      }
      this.others = null;
      this.writer =
          new KeyFileWriter(
              places.newOutputFile(spec, partition).encryptingOutputFile(),
              image.keySchema,
              payload,
              day,
              layout(lead));
    } else {
      this.writer = null;
      this.others =
          new PartitionedFiles(
              image.keys,
              image.keySchema,
              new ParquetFiles(image.keys, image.keySchema, Map.of()),
              places);
    }
  }

  private static InternalRow nothing(int columns) {
    return new GenericInternalRow(columns);
  }

  private boolean ownLayout() {
    return KeyFileWriter.writes(image.keySchema)
        && image.keys.encryption() instanceof PlaintextEncryptionManager
        && spec.fields().stream()
            .allMatch(
                f ->
                    f.transform().isIdentity()
                        && f.sourceId()
                            == image.keySchema.findField(TableColumns.LOADED_DATE).fieldId());
  }

  private KeyFileLayout layout(String lead) {
    NestedField column = image.keySchema.findField(lead);
    boolean positions = lead.equals(TableColumns.LSN) && !payload;
    String codec =
        PropertyUtil.propertyAsString(
            image.keys.properties(),
            TableProperties.PARQUET_COMPRESSION,
            TableProperties.PARQUET_COMPRESSION_DEFAULT);
    return new KeyFileLayout(
        image.keySchema.columns().indexOf(column),
        !positions && KeyColumns.canLead(column.type()),
        positions ? ROWS_OF_POSITIONS : ROWS_OF_KEYS,
        ROWS_OF_A_GROUP,
        codec.equalsIgnoreCase("uncompressed") ? 0 : ZSTD_LEVEL);
  }

  /** Adds the next identity of the run; it must not change until the run is finished. */
  void add(UnsafeRow identity, long payloadHash) {
    if (writer != null) {
      writer.add(identity, payloadHash);
    } else if (others != null) {
      if (payload) {
        tail.setLong(0, payloadHash);
      }
      others.write(joined.apply(identity, tail));
    }
  }

  List<DataFile> finish() {
    if (writer == null) {
      return others == null ? List.of() : others.finish();
    }
    KeyFileWriter.Written written = writer.finish();
    return List.of(
        DataFiles.builder(spec)
            .withPath(written.location())
            .withFormat(FileFormat.PARQUET)
            .withPartition(partition)
            .withFileSizeInBytes(written.size())
            .withMetrics(written.metrics())
            .withSplitOffsets(written.splitOffsets())
            .build());
  }

  /** Closes and deletes what was written. */
  void abort() {
    if (writer != null) {
      writer.close();
      image.keys.io().deleteFile(writer.location());
    } else if (others != null) {
      others.abort();
    }
  }
}
