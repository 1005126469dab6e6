package io.onceberg.keystore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;

/** A JDBC catalog on SQLite, and a Spark session that reads it as a user would; one in each JVM. */
final class Lakehouse {
  static final int TODAY = 20_000;

  private static final Path DIRECTORY = directory();
  private static final Map<String, String> PROPERTIES =
      Map.of(
          "type",
          "jdbc",
          "uri",
          "jdbc:sqlite:" + DIRECTORY.resolve("catalog.db"),
          "warehouse",
          DIRECTORY.resolve("warehouse").toString(),
          "jdbc.schema-version",
          "V1");
  private static final AtomicInteger NAMES = new AtomicInteger();

  static final Catalog CATALOG =
      CatalogUtil.buildIcebergCatalog("onceberg", PROPERTIES, LocalDisk.configuration());
  static final SparkSession SPARK = spark();

  private Lakehouse() {}

  private static Path directory() {
    try {
      Path directory = Files.createTempDirectory("lakehouse");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path directory) {
    try (var paths = Files.walk(directory)) {
      for (Path path : paths.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static SparkSession spark() {
    SparkSession.Builder builder =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            // lz4, the default, comes with the Kafka client, which this module does not have
            .config("spark.io.compression.codec", "zstd")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.caseSensitive", "true")
            .config("spark.sql.warehouse.dir", DIRECTORY.resolve("spark").toString())
            .config("spark.sql.catalog.onceberg", "org.apache.iceberg.spark.SparkCatalog")
            .config("spark.sql.catalog.onceberg.cache-enabled", "false");
    PROPERTIES.forEach(
        (name, value) -> builder.config("spark.sql.catalog.onceberg." + name, value));
    return builder.getOrCreate();
  }

  /** The same catalog for a warehouse of its own. */
  static CatalogSettings settings() {
    return new CatalogSettings("onceberg", PROPERTIES, CatalogSettings.RequiredAtomicity.BEST);
  }

  /** A target name that no other test has. */
  static TargetName name() {
    return new TargetName("db", "t" + NAMES.incrementAndGet());
  }

  static TargetSettings changelog(String... partitionBy) {
    return settings(TargetKind.CHANGELOG, List.of(), Map.of(), partitionBy);
  }

  static TargetSettings events(String... key) {
    return settings(TargetKind.EVENTS, List.of(key), Map.of());
  }

  static TargetSettings settings(
      TargetKind kind, List<String> key, Map<String, String> properties, String... partitionBy) {
    return new TargetSettings(
        name(), kind, key, List.of(partitionBy), 1, TargetSettings.NewColumns.APPEND, properties);
  }

  /** Makes files visible, as a commit does. */
  static void append(TargetTables tables, StagedFiles files) {
    append(tables.rows(), files.rows());
    if (!files.merge().replaced().isEmpty()) {
      RewriteFiles rewrite = tables.keys().newRewrite();
      files.merge().addTo(rewrite, tables.keys().currentSnapshot());
      rewrite.commit();
      tables.keys().refresh();
    }
    append(tables.keys(), files.keys());
    append(tables.quarantine(), files.quarantine());
  }

  private static void append(Table table, List<DataFile> files) {
    if (!files.isEmpty()) {
      AppendFiles append = table.newFastAppend();
      files.forEach(append::appendFile);
      append.commit();
      table.refresh();
    }
  }

  static List<Row> sql(String query) {
    return SPARK.sql(query).collectAsList();
  }

  /** A row of Java values in Spark's internal form. */
  static InternalRow internal(StructType type, Row row) {
    return (InternalRow) CatalystTypeConverters.createToCatalystConverter(type).apply(row);
  }

  /** The same as {@link #unsafe}, for many rows: what it takes is made once. */
  static Function<Row, UnsafeRow> unsafeRows(StructType type) {
    var converter = CatalystTypeConverters.createToCatalystConverter(type);
    UnsafeProjection projection = UnsafeProjection.create(type);
    return row -> projection.apply((InternalRow) converter.apply(row)).copy();
  }

  static UnsafeRow unsafe(StructType type, Row row) {
    return UnsafeProjection.create(type).apply(internal(type, row)).copy();
  }
}
