package io.onceberg.it.bench.keys;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.keystore.TaskTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Batches as Parquet files with the target's columns, for those who do not read Kafka. */
final class BatchFiles {
  private final Ingest ingest;
  private final Path home;
  private final int batches;

  private BatchFiles(Ingest ingest, Path home, int batches) {
    this.ingest = ingest;
    this.home = home;
    this.batches = batches;
  }

  /** Writes the first batches of each share of duplicates into a directory. */
  static BatchFiles write(Ingest ingest, EventNumbers numbers, Path home, int batches) {
    BatchFiles files = new BatchFiles(ingest, home, batches);
    for (Duplicates duplicates : Duplicates.values()) {
      for (int batch = 0; batch < batches; batch++) {
        files.write(numbers.batch(duplicates, batch), files.directory(duplicates, batch));
      }
    }
    return files;
  }

  /** The target's own writer makes them, in the target's place, which they must leave. */
  private void write(long[] numbers, Path directory) {
    TaskTarget target = ingest.target().pin();
    DedupPolicy policy = ingest.policy();
    List<byte[]> packed =
        ingest
            .context()
            .parallelize(List.of(numbers), 1)
            .mapPartitions(all -> StagedRows.export(target, policy, Ingest.TODAY, all))
            .collect();
    try {
      Files.createDirectories(directory);
      for (DataFile file : Parts.all(packed).rows()) {
        Path written = Path.of(file.location());
        Files.move(written, directory.resolve(written.getFileName()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path directory(Duplicates duplicates, int batch) {
    return home.resolve("d%d-%d".formatted(duplicates.percent(), batch % batches));
  }

  /** The files of a batch, as a pattern. */
  String pattern(Duplicates duplicates, int batch) {
    return directory(duplicates, batch) + "/*.parquet";
  }

  Dataset<Row> read(Duplicates duplicates, int batch) {
    return ingest.spark().read().parquet(pattern(duplicates, batch));
  }
}
