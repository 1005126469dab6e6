package io.onceberg.keystore;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SerializableTable;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Writes a task's files as Parquet. A file is opened with its first row, so a task without rows
 * leaves none; names hold a random part, so that no attempt meets the files of another.
 */
final class ParquetTargetWriter implements TargetWriter {
  private static final long MICROS_PER_DAY = TimeUnit.DAYS.toMicros(1);

  private final TableImage image;
  private final List<StoredFile> toMerge;
  private final int loadedDate;
  private final int partitionId;
  private final long taskAttemptId;
  private final String operationId = UUID.randomUUID().toString();
  private final List<KeyRun> keys = new ArrayList<>();
  private @Nullable PartitionedFiles rows;
  private @Nullable PartitionedFiles quarantine;
  private @Nullable OutputFileFactory keyPlaces;

  /**
   * Opens nothing yet.
   *
   * @param toMerge older key files that this task merges; empty for none
   */
  ParquetTargetWriter(
      TableImage image,
      List<StoredFile> toMerge,
      int loadedDate,
      int partitionId,
      long taskAttemptId) {
    this.image = image;
    this.toMerge = List.copyOf(toMerge);
    this.loadedDate = loadedDate;
    this.partitionId = partitionId;
    this.taskAttemptId = taskAttemptId;
  }

  @Override
  public void writeRow(InternalRow row) {
    PartitionedFiles files = rows;
    if (files == null) {
      files = open(image.rows, image.rowSchema, Map.of(), places(image.rows));
      rows = files;
    }
    files.write(row);
  }

  @Override
  public void writeKeys(List<UnsafeRow> identities, long[] payloadHashes) {
    if (image.settings.kind() == TargetKind.EVENTS) {
      writeSorted(identities, payloadHashes, image.eventOrder());
      return;
    }
    int lsn = image.identitySchema.columns().indexOf(image.identitySchema.findField("lsn"));
    List<UnsafeRow> changes = new ArrayList<>(identities.size());
    List<UnsafeRow> snapshotRows = new ArrayList<>();
    for (UnsafeRow identity : identities) {
      (identity.isNullAt(lsn) ? snapshotRows : changes).add(identity);
    }
    writeSorted(changes, payloadHashes, List.of(TableColumns.LSN, TableColumns.CONTENT_HASH));
    writeSorted(snapshotRows, payloadHashes, List.of(TableColumns.CONTENT_HASH));
  }

  private void writeSorted(List<UnsafeRow> identities, long[] payloadHashes, List<String> order) {
    if (identities.isEmpty()) {
      return;
    }
    KeyRun run = new KeyRun(image, order.get(0), loadedDate, keyPlaces());
    keys.add(run);
    int[] sorted = new KeyOrder(image.identitySchema, order).sorted(identities);
    for (int index : sorted) {
      run.add(identities.get(index), payloadHashes.length == 0 ? 0 : payloadHashes[index]);
    }
  }

  private OutputFileFactory keyPlaces() {
    OutputFileFactory places = keyPlaces;
    if (places == null) {
      places = places(image.keys);
      keyPlaces = places;
    }
    return places;
  }

  @Override
  public void writeQuarantined(QuarantinedRecord quarantined) {
    PartitionedFiles files = quarantine;
    if (files == null) {
      files = open(image.quarantine, image.quarantineSchema, Map.of(), places(image.quarantine));
      quarantine = files;
    }
    files.write(row(quarantined));
  }

  /** There is no clock in a task: the time of quarantine is the start of the batch's day. */
  private InternalRow row(QuarantinedRecord record) {
    return new GenericInternalRow(
        new @Nullable Object[] {
          record.identityDigest(),
          record.code().number(),
          UTF8String.fromString(record.code().name()),
          UTF8String.fromString(record.detail()),
          UTF8String.fromString(record.topic()),
          UTF8String.fromString(record.topicId()),
          record.partition(),
          record.offset(),
          TimeUnit.MILLISECONDS.toMicros(record.timestampMillis()),
          record.key(),
          record.value(),
          loadedDate * MICROS_PER_DAY,
          loadedDate
        });
  }

  private PartitionedFiles open(
      SerializableTable table,
      Schema schema,
      Map<String, String> properties,
      OutputFileFactory places) {
    return new PartitionedFiles(table, schema, new ParquetFiles(table, schema, properties), places);
  }

  private OutputFileFactory places(SerializableTable table) {
    return OutputFileFactory.builderFor(table, partitionId, taskAttemptId)
        .format(FileFormat.PARQUET)
        .operationId(operationId)
        .build();
  }

  @Override
  public StagedFiles finish() {
    List<DataFile> keyFiles = new ArrayList<>();
    keys.forEach(run -> keyFiles.addAll(run.finish()));
    KeyMerge merge =
        toMerge.isEmpty() ? KeyMerge.NONE : new KeyMerging(image).merge(toMerge, keyPlaces());
    return new StagedFiles(finish(rows), keyFiles, finish(quarantine), merge);
  }

  private static List<DataFile> finish(@Nullable PartitionedFiles files) {
    return files == null ? List.of() : files.finish();
  }

  @Override
  public void abort() {
    keys.forEach(KeyRun::abort);
    abort(rows);
    abort(quarantine);
  }

  private static void abort(@Nullable PartitionedFiles files) {
    if (files != null) {
      files.abort();
    }
  }
}
