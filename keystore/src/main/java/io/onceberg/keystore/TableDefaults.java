package io.onceberg.keystore;

import static org.apache.iceberg.TableProperties.DEFAULT_FILE_FORMAT;
import static org.apache.iceberg.TableProperties.DEFAULT_WRITE_METRICS_MODE;
import static org.apache.iceberg.TableProperties.FORMAT_VERSION;
import static org.apache.iceberg.TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED;
import static org.apache.iceberg.TableProperties.METADATA_PREVIOUS_VERSIONS_MAX;
import static org.apache.iceberg.TableProperties.METRICS_MODE_COLUMN_CONF_PREFIX;
import static org.apache.iceberg.TableProperties.PARQUET_BLOOM_FILTER_COLUMN_ENABLED_PREFIX;
import static org.apache.iceberg.TableProperties.PARQUET_BLOOM_FILTER_COLUMN_FPP_PREFIX;
import static org.apache.iceberg.TableProperties.PARQUET_BLOOM_FILTER_MAX_BYTES;
import static org.apache.iceberg.TableProperties.PARQUET_COLUMN_STATS_ENABLED_PREFIX;
import static org.apache.iceberg.TableProperties.PARQUET_COMPRESSION;
import static org.apache.iceberg.TableProperties.PARQUET_COMPRESSION_LEVEL;
import static org.apache.iceberg.TableProperties.PARQUET_DICT_ENCODING_ENABLED_COLUMN_PREFIX;
import static org.apache.iceberg.TableProperties.PARQUET_DICT_SIZE_BYTES;
import static org.apache.iceberg.TableProperties.PARQUET_PAGE_ROW_LIMIT;
import static org.apache.iceberg.TableProperties.PARQUET_PAGE_SIZE_BYTES;
import static org.apache.iceberg.TableProperties.PARQUET_ROW_GROUP_SIZE_BYTES;
import static org.apache.iceberg.TableProperties.WRITE_TARGET_FILE_SIZE_BYTES;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.TableMarks.Role;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/** Iceberg table properties that new tables get. The user's own win over these, marks over both. */
final class TableDefaults {
  private static final String KIB_64 = String.valueOf(64 << 10);
  private static final String MIB_2 = String.valueOf(2 << 20);
  private static final String MIB_16 = String.valueOf(16 << 20);
  private static final String MIB_128 = String.valueOf(128 << 20);
  private static final String FALSE_POSITIVES = "0.0001";

  /** Fields of {@code _cdc} by which people look for rows; the others need no bounds. */
  private static final Set<String> BOUNDED = Set.of("ts", "lsn", "offset");

  private static final String CDC_FIELD = TableColumns.CDC + ".";

  /** Fields of {@code _cdc} that are another in each row: a dictionary would only cost. */
  private static final List<String> DISTINCT =
      List.of("ts", "position.lsn", "key", "content_hash", "offset");

  /** Fields of {@code _cdc} whose least and greatest value in a row group tells nobody anything. */
  private static final List<String> UNORDERED =
      List.of("op", "source", "key", "content_hash", "topic");

  private TableDefaults() {}

  static Map<String, String> of(TargetSettings settings, Role role) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(FORMAT_VERSION, "2");
    properties.put(DEFAULT_FILE_FORMAT, "parquet");
    properties.put(PARQUET_COMPRESSION, "zstd");
    properties.put(PARQUET_COMPRESSION_LEVEL, "1");
    properties.put(METADATA_DELETE_AFTER_COMMIT_ENABLED, "true");
    properties.put(METADATA_PREVIOUS_VERSIONS_MAX, "50");
    switch (role) {
      case ROWS -> rows(properties);
      case KEYS -> keys(settings, properties);
      case QUARANTINE -> bloomFilter(TableColumns.IDENTITY_DIGEST, properties);
    }
    settings
        .tableProperties()
        .forEach(
            (name, value) -> {
              if (appliesTo(role, name)) {
                properties.put(name, value);
              }
            });
    if (!properties.get(DEFAULT_FILE_FORMAT).equalsIgnoreCase("parquet")) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "target %s: files are written as Parquet, remove the table property %s"
              .formatted(settings.name(), DEFAULT_FILE_FORMAT));
    }
    properties.putAll(TableMarks.of(settings, role));
    return properties;
  }

  /**
   * Small pages and dictionaries, so that a column of mostly different values gives up its
   * dictionary early: hashing every value costs more than all else in writing it.
   */
  private static void rows(Map<String, String> properties) {
    properties.put(PARQUET_PAGE_ROW_LIMIT, "4096");
    properties.put(PARQUET_DICT_SIZE_BYTES, String.valueOf(256 << 10));
    metrics(TableColumns.ROWS.findType(TableColumns.CDC).asStructType(), properties);
    for (String distinct : DISTINCT) {
      properties.put(PARQUET_DICT_ENCODING_ENABLED_COLUMN_PREFIX + CDC_FIELD + distinct, "false");
    }
    for (String unordered : UNORDERED) {
      properties.put(PARQUET_COLUMN_STATS_ENABLED_PREFIX + CDC_FIELD + unordered, "false");
    }
  }

  private static void metrics(Types.StructType cdc, Map<String, String> properties) {
    for (NestedField field : cdc.fields()) {
      String name = TableColumns.CDC + "." + field.name();
      if (field.type().isStructType()) {
        field.type().asStructType().fields().forEach(f -> metrics(name, f, properties));
      } else if (field.type().isPrimitiveType()) {
        metrics(TableColumns.CDC, field, properties);
      }
    }
  }

  private static void metrics(String parent, NestedField field, Map<String, String> properties) {
    properties.put(
        METRICS_MODE_COLUMN_CONF_PREFIX + parent + "." + field.name(),
        BOUNDED.contains(field.name()) ? "full" : "counts");
  }

  /** Small row groups and pages, since a lookup reads few keys of a file. */
  private static void keys(TargetSettings settings, Map<String, String> properties) {
    properties.put(DEFAULT_WRITE_METRICS_MODE, "full");
    properties.put(PARQUET_ROW_GROUP_SIZE_BYTES, MIB_16);
    properties.put(PARQUET_PAGE_SIZE_BYTES, KIB_64);
    properties.put(WRITE_TARGET_FILE_SIZE_BYTES, MIB_128);
    bloomFilter(filtered(settings), properties);
  }

  private static String filtered(TargetSettings settings) {
    if (settings.kind() == TargetKind.CHANGELOG) {
      return TableColumns.CONTENT_HASH;
    }
    return settings.eventKey().size() > 1 ? TableColumns.KEY_HASH : settings.eventKey().get(0);
  }

  /** The number of distinct values is set file by file, or every small file carries a large one. */
  private static void bloomFilter(String column, Map<String, String> properties) {
    properties.put(PARQUET_BLOOM_FILTER_COLUMN_ENABLED_PREFIX + column, "true");
    properties.put(PARQUET_BLOOM_FILTER_COLUMN_FPP_PREFIX + column, FALSE_POSITIVES);
    properties.put(PARQUET_BLOOM_FILTER_MAX_BYTES, MIB_2);
  }

  /**
   * Properties about columns or places are meant for the rows: the other tables lack the columns,
   * and two tables in one directory would clean up each other's files.
   */
  private static boolean appliesTo(Role role, String name) {
    return role == Role.ROWS
        ? !aboutColumn(name)
        : !name.contains(".column.") && !name.contains("path") && !name.contains(".metrics.");
  }

  /** Iceberg refuses these before the column exists, so they are set when it appears. */
  static boolean aboutColumn(String name) {
    return name.startsWith(METRICS_MODE_COLUMN_CONF_PREFIX);
  }

  /** Metrics modes that the user wants for columns which have just been added. */
  static Map<String, String> forColumns(TargetSettings settings, List<NestedField> added) {
    Map<String, String> properties = new LinkedHashMap<>();
    for (NestedField field : added) {
      String name = METRICS_MODE_COLUMN_CONF_PREFIX + field.name();
      String mode = settings.tableProperties().get(name);
      if (mode != null) {
        properties.put(name, mode);
      }
    }
    return properties;
  }
}
