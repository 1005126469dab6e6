package io.onceberg.keystore;

import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.spark.data.SparkParquetReaders;
import org.apache.spark.sql.catalyst.InternalRow;

/** Reads columns of one stored Parquet file. */
final class StoredRows {
  private StoredRows() {}

  /**
   * Rows of the row groups that the filter lets pass, all of them; the row object is reused.
   *
   * @param columns what to read, in the order that the rows are to have
   */
  static CloseableIterable<InternalRow> read(
      FileIO io, StoredFile file, Schema columns, Expression rowGroups) {
    return Parquet.read(io.newInputFile(file.path(), file.size()))
        .project(columns)
        .filter(rowGroups)
        .filterRecords(false)
        .createReaderFunc((schema, type) -> SparkParquetReaders.buildReader(schema, type))
        .reuseContainers()
        .build();
  }
}
