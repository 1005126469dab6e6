package io.onceberg.ingest.sink;

import io.onceberg.keystore.CatalogSettings;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/** Makes the one Spark session of a process. */
public final class SparkSessions {
  private static final String MASTER = "spark.master";
  private static final String LOCAL = "local[*]";

  private SparkSessions() {}

  /**
   * Starts Spark, in this process unless the settings say otherwise.
   *
   * @param catalog the Iceberg catalog that SQL sees under its name, and by default
   * @param settings the user's settings, with their {@code spark.} prefix; they win
   */
  public static SparkSession open(CatalogSettings catalog, Map<String, String> settings) {
    SparkConf conf = new SparkConf(false);
    common(conf);
    if (settings.getOrDefault(MASTER, LOCAL).startsWith("local")) {
      onThisMachine(conf);
    }
    catalog(conf, catalog);
    settings.forEach(conf::set);
    return SparkSession.builder().config(conf).getOrCreate();
  }

  /** A batch of a few tasks is not held up by defaults. */
  private static void common(SparkConf conf) {
    conf.setAppName("onceberg")
        .set("spark.ui.enabled", "false")
        .set("spark.ui.showConsoleProgress", "false")
        .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
        .set("spark.sql.session.timeZone", "UTC")
        .set("spark.sql.caseSensitive", "true")
        // what Spark never prints: its own default, and what a REST catalog calls its secret
        .set("spark.redaction.regex", "(?i)secret|password|token|access[.]?key|credential")
        .set("spark.locality.wait", "0")
        .set("spark.shuffle.file.buffer", "256k")
        .set("spark.sql.catalogImplementation", "in-memory");
  }

  /**
   * Nothing listens beyond this machine. What is shuffled stays here too, where compressing it
   * costs more than it saves.
   */
  private static void onThisMachine(SparkConf conf) {
    String cores = String.valueOf(Runtime.getRuntime().availableProcessors());
    conf.setMaster(LOCAL)
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.sql.shuffle.partitions", cores)
        .set("spark.default.parallelism", cores)
        .set("spark.shuffle.compress", "false");
  }

  /** The catalog cache is off: the daemon commits beside it, and SQL must see what is there now. */
  private static void catalog(SparkConf conf, CatalogSettings catalog) {
    String name = "spark.sql.catalog." + catalog.name();
    conf.set(
            "spark.sql.extensions",
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
        .set("spark.sql.defaultCatalog", catalog.name())
        .set(name, "org.apache.iceberg.spark.SparkCatalog")
        .set(name + ".cache-enabled", "false");
    catalog.properties().forEach((key, value) -> conf.set(name + "." + key, value));
  }
}
