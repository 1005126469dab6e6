package io.onceberg.keystore;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.jspecify.annotations.Nullable;

/**
 * One data file as a lookup needs to know it: where it is and the bounds of its lead columns.
 *
 * @param size bytes
 * @param records rows
 * @param day whose partition it is in, since the epoch
 * @param bounds for each lead column, in the order of the lead columns
 */
record StoredFile(String path, long size, long records, int day, Bounds[] bounds) {
  /** Of a file that does not lie in the partition of one day as the table has them now. */
  static final int NO_DAY = Integer.MIN_VALUE;

  /**
   * Bounds of one column of one file.
   *
   * @param nulls number of nulls; -1 when not known
   * @param lower Iceberg's single-value form; null when not known
   * @param upper the same
   */
  record Bounds(long nulls, byte @Nullable [] lower, byte @Nullable [] upper) {
    private static final int ABSENT = -1;

    boolean mayHoldNull() {
      return nulls != 0;
    }

    /** The lower bound in Iceberg's Java form; null when not known. */
    @Nullable Object lower(Type type) {
      return value(type, lower);
    }

    /** The upper bound in Iceberg's Java form; null when not known. */
    @Nullable Object upper(Type type) {
      return value(type, upper);
    }

    private static @Nullable Object value(Type type, byte @Nullable [] bytes) {
      return bytes == null ? null : Conversions.fromByteBuffer(type, ByteBuffer.wrap(bytes));
    }

    private void write(DataOutputStream out) throws IOException {
      out.writeLong(nulls);
      write(out, lower);
      write(out, upper);
    }

    private static void write(DataOutputStream out, byte @Nullable [] bytes) throws IOException {
      out.writeInt(bytes == null ? ABSENT : bytes.length);
      if (bytes != null) {
        out.write(bytes);
      }
    }

    private static Bounds readBounds(DataInputStream in) throws IOException {
      return new Bounds(in.readLong(), readBytes(in), readBytes(in));
    }

    private static byte @Nullable [] readBytes(DataInputStream in) throws IOException {
      int length = in.readInt();
      return length == ABSENT ? null : in.readNBytes(length);
    }
  }

  static StoredFile of(DataFile file, int day, int[] leadIds) {
    Bounds[] bounds = new Bounds[leadIds.length];
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = bounds(file, leadIds[i]);
    }
    return new StoredFile(file.location(), file.fileSizeInBytes(), file.recordCount(), day, bounds);
  }

  /** The file as far as taking it out of its table needs to know it. */
  DataFile dataFile(PartitionSpec spec) {
    GenericRecord partition = GenericRecord.create(spec.partitionType());
    partition.set(0, day);
    return DataFiles.builder(spec)
        .withPath(path)
        .withFormat(FileFormat.PARQUET)
        .withPartition(partition)
        .withFileSizeInBytes(size)
        .withRecordCount(records)
        .build();
  }

  private static Bounds bounds(DataFile file, int id) {
    boolean counted = file.nullValueCounts() != null && file.nullValueCounts().containsKey(id);
    return new Bounds(
        counted ? file.nullValueCounts().get(id) : -1,
        file.lowerBounds() == null ? null : bytes(file.lowerBounds().get(id)),
        file.upperBounds() == null ? null : bytes(file.upperBounds().get(id)));
  }

  private static byte @Nullable [] bytes(@Nullable ByteBuffer buffer) {
    if (buffer == null) {
      return null;
    }
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /** Whether every row has a null in this lead column. */
  boolean allNull(int lead) {
    return bounds[lead].nulls == records;
  }

  void write(DataOutputStream out) throws IOException {
    out.writeUTF(path);
    out.writeLong(size);
    out.writeLong(records);
    out.writeInt(day);
    for (Bounds bound : bounds) {
      bound.write(out);
    }
  }

  static StoredFile read(DataInputStream in, int leads) throws IOException {
    String path = in.readUTF();
    long size = in.readLong();
    long records = in.readLong();
    int day = in.readInt();
    Bounds[] bounds = new Bounds[leads];
    for (int i = 0; i < leads; i++) {
      bounds[i] = Bounds.readBounds(in);
    }
    return new StoredFile(path, size, records, day, bounds);
  }
}
