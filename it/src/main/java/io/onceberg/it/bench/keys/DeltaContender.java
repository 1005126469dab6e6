package io.onceberg.it.bench.keys;

import java.nio.file.Path;
import java.util.Map;

/** Delta's insert-only MERGE. */
final class DeltaContender extends PeerContender {
  static final Map<String, String> SETTINGS =
      Map.of(
          "spark.sql.extensions",
          "io.delta.sql.DeltaSparkSessionExtension",
          "spark.sql.catalog.spark_catalog",
          "org.apache.spark.sql.delta.catalog.DeltaCatalog");

  private DeltaContender(EventNumbers numbers, BatchFiles files, PeerProcess spark) {
    super(Measure.DELTA, numbers, files, spark);
  }

  /** Makes a table of the stored rows, which are a view of the process. */
  static DeltaContender copy(
      PeerProcess spark, Path table, EventNumbers numbers, BatchFiles files) {
    spark.sql(
        "CREATE TABLE %s USING delta PARTITIONED BY (loaded_date) LOCATION '%s'"
                .formatted(TABLE, table)
            + " AS SELECT * FROM stored");
    return new DeltaContender(numbers, files, spark);
  }

  @Override
  public void run() {
    spark()
        .sql(
            "MERGE INTO %s t USING batch s ON t.%s = s.%s WHEN NOT MATCHED THEN INSERT *"
                .formatted(TABLE, Event.KEY, Event.KEY));
  }

  @Override
  void putBack() {
    spark().sql("RESTORE TABLE %s TO VERSION AS OF 0".formatted(TABLE));
  }
}
