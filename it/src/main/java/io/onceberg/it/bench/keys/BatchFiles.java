package io.onceberg.it.bench.keys;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.keystore.TaskTarget;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Batches as Parquet files with the target's columns, for those who do not read Kafka. */
final class BatchFiles {
  private final Ingest ingest;
  private final Map<Duplicates, List<List<String>>> files = new EnumMap<>(Duplicates.class);

  private BatchFiles(Ingest ingest) {
    this.ingest = ingest;
  }

  /** Writes the first batches of each share of duplicates. */
  static BatchFiles write(Ingest ingest, EventNumbers numbers, int batches) {
    BatchFiles written = new BatchFiles(ingest);
    for (Duplicates duplicates : Duplicates.values()) {
      List<List<String>> each = new ArrayList<>();
      for (int batch = 0; batch < batches; batch++) {
        each.add(written.write(numbers.batch(duplicates, batch)));
      }
      written.files.put(duplicates, each);
    }
    return written;
  }

  private List<String> write(long[] numbers) {
    TaskTarget target = ingest.target().pin();
    DedupPolicy policy = ingest.policy();
    List<byte[]> packed =
        ingest
            .context()
            .parallelize(List.of(numbers), 1)
            .mapPartitions(all -> StagedRows.export(target, policy, Ingest.TODAY, all))
            .collect();
    return Parts.all(packed).rows().stream().map(DataFile::location).toList();
  }

  List<String> of(Duplicates duplicates, int batch) {
    List<List<String>> batches = files.getOrDefault(duplicates, List.of());
    return batches.get(batch % batches.size());
  }

  Dataset<Row> read(Duplicates duplicates, int batch) {
    return ingest.spark().read().parquet(of(duplicates, batch).toArray(String[]::new));
  }
}
