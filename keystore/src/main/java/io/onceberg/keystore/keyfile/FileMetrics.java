package io.onceberg.keystore.keyfile;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/** What a manifest says about a key file: counts and bounds of every column, from its footer. */
record FileMetrics(Metrics metrics, List<Long> splitOffsets) {

  static FileMetrics of(ParquetMetadata footer, long rows, Schema schema) {
    Map<Integer, Long> sizes = new HashMap<>();
    Map<Integer, Long> values = new HashMap<>();
    Map<Integer, Long> nulls = new HashMap<>();
    Map<Integer, Statistics<?>> bounds = new HashMap<>();
    List<Long> offsets = new ArrayList<>();
    for (BlockMetaData block : footer.getBlocks()) {
      offsets.add(block.getStartingPos());
      for (ColumnChunkMetaData chunk : block.getColumns()) {
        int id = chunk.getPrimitiveType().getId().intValue();
        sizes.merge(id, chunk.getTotalSize(), Long::sum);
        values.merge(id, chunk.getValueCount(), Long::sum);
        nulls.merge(id, chunk.getStatistics().getNumNulls(), Long::sum);
        bounds
            .computeIfAbsent(id, i -> Statistics.createStats(chunk.getPrimitiveType()))
            .mergeStatistics(chunk.getStatistics());
      }
    }
    Map<Integer, ByteBuffer> lower = new HashMap<>();
    Map<Integer, ByteBuffer> upper = new HashMap<>();
    bounds.forEach(
        (id, statistics) -> {
          Type type = schema.findType(id);
          if (statistics.hasNonNullValue() && isBounded(type)) {
            lower.put(id, singleValue(statistics.type(), type, statistics.getMinBytes()));
            upper.put(id, singleValue(statistics.type(), type, statistics.getMaxBytes()));
          }
        });
    Metrics metrics = new Metrics(rows, sizes, values, nulls, Map.of(), lower, upper);
    return new FileMetrics(metrics, offsets);
  }

  private static boolean isBounded(Type type) {
    return type.typeId() != Type.TypeID.FLOAT && type.typeId() != Type.TypeID.DOUBLE;
  }

  /** Iceberg's form of a value: Parquet's plain one, but for decimals. */
  private static ByteBuffer singleValue(PrimitiveType physical, Type type, byte[] plain) {
    if (type.typeId() != Type.TypeID.DECIMAL) {
      return ByteBuffer.wrap(plain);
    }
    PrimitiveTypeName name = physical.getPrimitiveTypeName();
    BigInteger unscaled =
        name == PrimitiveTypeName.INT32 || name == PrimitiveTypeName.INT64
            ? BigInteger.valueOf(LeadType.numberOf(name, plain))
            : new BigInteger(plain);
    return ByteBuffer.wrap(unscaled.toByteArray());
  }
}
