package io.onceberg.it.bench.keys;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Hudi's insert that drops duplicates, by its record-level index, into a copy-on-write table. */
final class HudiContender extends PeerContender {
  static final Map<String, String> SETTINGS =
      Map.of(
          "spark.serializer",
          "org.apache.spark.serializer.KryoSerializer",
          "spark.kryo.registrator",
          "org.apache.spark.HoodieSparkKryoRegistrar",
          "spark.sql.extensions",
          "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
          "spark.sql.catalog.spark_catalog",
          "org.apache.spark.sql.hudi.catalog.HoodieCatalog");

  /** What holds for all writing. New rows go to new files, which is in its favour. */
  private static final List<String> TABLE_SETTINGS =
      List.of(
          "hoodie.index.type=RECORD_INDEX",
          "hoodie.metadata.enable=true",
          "hoodie.metadata.global.record.level.index.enable=true",
          "hoodie.record.index.update.partition.path=false",
          "hoodie.parquet.small.file.limit=0",
          "hoodie.parquet.compression.codec=zstd",
          "hoodie.spark.sql.insert.into.operation=bulk_insert");

  private static final List<String> BATCH_SETTINGS =
      List.of(
          "hoodie.spark.sql.insert.into.operation=insert",
          "hoodie.datasource.insert.dup.policy=drop");

  private final String stored;

  private HudiContender(EventNumbers numbers, BatchFiles files, PeerProcess spark) {
    super(Measure.HUDI, numbers, files, spark);
    this.stored = newestCommit(spark);
  }

  /** Makes a table of the stored rows, which are a view of the process. */
  static HudiContender copy(PeerProcess spark, Path table, EventNumbers numbers, BatchFiles files) {
    TABLE_SETTINGS.forEach(setting -> spark.sql("SET " + setting));
    spark.sql(
        "CREATE TABLE %s USING hudi PARTITIONED BY (loaded_date) LOCATION '%s'"
                .formatted(TABLE, table)
            + " TBLPROPERTIES (type = 'cow', primaryKey = '%s')".formatted(Event.KEY)
            + " AS SELECT * FROM stored");
    BATCH_SETTINGS.forEach(setting -> spark.sql("SET " + setting));
    spark.sql("SET hoodie.avro.schema=" + HudiSchema.of(table));
    return new HudiContender(numbers, files, spark);
  }

  private static String newestCommit(PeerProcess spark) {
    return spark.sql("CALL show_commits(table => '%s', limit => 1)".formatted(TABLE));
  }

  @Override
  public void run() {
    spark().sql("INSERT INTO %s SELECT * FROM batch".formatted(TABLE));
  }

  @Override
  void putBack() {
    String newest = newestCommit(spark());
    if (!newest.equals(stored)) {
      spark()
          .sql(
              "CALL rollback_to_instant(table => '%s', instant_time => '%s')"
                  .formatted(TABLE, newest));
    }
  }
}
