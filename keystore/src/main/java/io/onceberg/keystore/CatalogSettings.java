package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;

/**
 * The Iceberg catalog to use.
 *
 * @param name the catalog's name, which a JDBC catalog stores with its tables
 * @param properties Iceberg catalog properties: {@code type} or {@code catalog-impl}, {@code uri},
 *     {@code warehouse} and so on
 * @param atomicity what to do with a catalog that cannot commit two tables at once
 */
public record CatalogSettings(
    String name, Map<String, String> properties, RequiredAtomicity atomicity) {
  /** Whether the weaker roll-forward commit may be used. */
  public enum RequiredAtomicity {
    /** The strongest means that the catalog has. */
    BEST,
    /** Refuse a catalog that cannot move all tables of a target at once. */
    REQUIRED
  }

  /** Iceberg's own short names. */
  private static final List<String> TYPES =
      List.of(
          CatalogUtil.ICEBERG_CATALOG_TYPE_JDBC,
          CatalogUtil.ICEBERG_CATALOG_TYPE_REST,
          CatalogUtil.ICEBERG_CATALOG_TYPE_HADOOP,
          CatalogUtil.ICEBERG_CATALOG_TYPE_HIVE,
          CatalogUtil.ICEBERG_CATALOG_TYPE_GLUE,
          CatalogUtil.ICEBERG_CATALOG_TYPE_NESSIE,
          CatalogUtil.ICEBERG_CATALOG_TYPE_BIGQUERY);

  public CatalogSettings {
    properties = Map.copyOf(properties);
    String type = properties.get(CatalogUtil.ICEBERG_CATALOG_TYPE);
    if (type != null && !TYPES.contains(type.toLowerCase(Locale.ROOT))) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "catalog.type: '%s' is none of %s; for another one set catalog.catalog-impl"
              .formatted(type, TYPES));
    }
  }

  /** The warehouse as its one unambiguous path or address; the catalog's own when none is set. */
  String place() {
    String warehouse = properties.get(CatalogProperties.WAREHOUSE_LOCATION);
    if (warehouse == null) {
      return "the catalog's own warehouse";
    }
    return warehouse.contains(":") ? warehouse : Path.of(warehouse).toAbsolutePath().toString();
  }

  /** Values may be secret, so only their names are printed. */
  @Override
  public String toString() {
    return "CatalogSettings[%s, %s, properties=%s]".formatted(name, atomicity, properties.keySet());
  }
}
