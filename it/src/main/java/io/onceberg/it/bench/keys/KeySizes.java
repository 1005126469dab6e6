package io.onceberg.it.bench.keys;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * What the files of a keys table weigh, in bytes, as their footers say.
 *
 * @param files their number
 * @param identity the columns of the identity, with footers and page indexes
 * @param filters bloom filters
 * @param payload the payload hash beside the identity
 */
record KeySizes(long keys, int files, long identity, long filters, long payload) {
  private static final String PAYLOAD = "payload_hash";

  /** Reads the footers of a table's files. */
  static KeySizes of(SparkSession spark, String table) {
    List<Row> files =
        spark
            .sql(
                "SELECT file_path, file_size_in_bytes, record_count FROM %s.files".formatted(table))
            .collectAsList();
    KeySizes all = new KeySizes(0, 0, 0, 0, 0);
    for (Row file : files) {
      all = all.plus(of(file.getString(0), file.getLong(1), file.getLong(2)));
    }
    return all;
  }

  private static KeySizes of(String location, long size, long keys) {
    long filters = 0;
    long payload = 0;
    try (ParquetFileReader reader =
        ParquetFileReader.open(HadoopInputFile.fromPath(new Path(location), new Configuration()))) {
      for (BlockMetaData block : reader.getRowGroups()) {
        for (ColumnChunkMetaData chunk : block.getColumns()) {
          filters += Math.max(0, chunk.getBloomFilterLength());
          payload += chunk.getPath().toDotString().equals(PAYLOAD) ? chunk.getTotalSize() : 0;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the footer of " + location, e);
    }
    return new KeySizes(keys, 1, size - filters - payload, filters, payload);
  }

  private KeySizes plus(KeySizes other) {
    return new KeySizes(
        keys + other.keys,
        files + other.files,
        identity + other.identity,
        filters + other.filters,
        payload + other.payload);
  }

  double identityPerKey() {
    return (double) identity / keys;
  }

  double filterPerKey() {
    return (double) filters / keys;
  }

  double payloadPerKey() {
    return (double) payload / keys;
  }
}
