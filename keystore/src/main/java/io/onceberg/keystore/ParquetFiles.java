package io.onceberg.keystore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SerializableTable;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.FileWriterFactory;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.spark.data.SparkParquetWriters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/** Opens Parquet data files of one table for rows of one schema. */
final class ParquetFiles implements FileWriterFactory<InternalRow> {
  private final SerializableTable table;
  private final Schema schema;
  private final StructType sparkType;
  private final Map<String, String> properties;
  private final MetricsConfig metrics;

  /**
   * Takes its settings from the table.
   *
   * @param schema fields of the table, in the order of the rows
   * @param overrides table properties for these files only
   */
  ParquetFiles(SerializableTable table, Schema schema, Map<String, String> overrides) {
    this.table = table;
    this.schema = schema;
    this.sparkType = SparkSchemaUtil.convert(schema);
    this.properties = new HashMap<>(overrides);
    this.metrics = MetricsConfig.forTable(table);
  }

  @Override
  public DataWriter<InternalRow> newDataWriter(
      EncryptedOutputFile file, PartitionSpec spec, StructLike partition) {
    try {
      return Parquet.writeData(file)
          .forTable(table)
          .schema(schema)
          .setAll(properties)
          .metricsConfig(metrics)
          .createWriterFunc(
              (columns, type) -> SparkParquetWriters.buildWriter(columns, type, sparkType))
          .withSpec(spec)
          .withPartition(partition)
          .overwrite()
          .build();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a data file of table " + table.name(), e);
    }
  }

  @Override
  public EqualityDeleteWriter<InternalRow> newEqualityDeleteWriter(
      EncryptedOutputFile file, PartitionSpec spec, StructLike partition) {
    throw new UnsupportedOperationException("nothing is deleted here");
  }

  @Override
  public PositionDeleteWriter<InternalRow> newPositionDeleteWriter(
      EncryptedOutputFile file, PartitionSpec spec, StructLike partition) {
    throw new UnsupportedOperationException("nothing is deleted here");
  }
}
