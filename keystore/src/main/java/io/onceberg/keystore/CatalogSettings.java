package io.onceberg.keystore;

import java.util.Map;

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

  public CatalogSettings {
    properties = Map.copyOf(properties);
  }

  /** Values may be secret, so only their names are printed. */
  @Override
  public String toString() {
    return "CatalogSettings[%s, %s, properties=%s]".formatted(name, atomicity, properties.keySet());
  }
}
