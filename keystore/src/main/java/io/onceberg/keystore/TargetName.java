package io.onceberg.keystore;

import java.io.Serializable;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/** The name of a target, {@code db.orders}; its sister tables take it with a suffix. */
public record TargetName(String namespace, String table) implements Serializable {
  static final String KEYS = "_keys";

  public TargetName {
    if (namespace.isBlank() || table.isBlank()) {
      throw new IllegalArgumentException(
          "a target is named namespace.table, not '%s.%s'".formatted(namespace, table));
    }
  }

  /**
   * Splits at the last dot: {@code a.b.orders} is table {@code orders} in namespace {@code a.b}.
   */
  public static TargetName parse(String name) {
    int dot = name.lastIndexOf('.');
    if (dot <= 0 || dot == name.length() - 1) {
      throw new IllegalArgumentException("a target is named namespace.table, not '" + name + "'");
    }
    return new TargetName(name.substring(0, dot), name.substring(dot + 1));
  }

  /** The table of rows. */
  public TableIdentifier rows() {
    return identifier("");
  }

  /** The table of identities already stored. */
  public TableIdentifier keys() {
    return identifier(KEYS);
  }

  /** The table of records that could not become rows. */
  public TableIdentifier quarantine() {
    return identifier("_quarantine");
  }

  private TableIdentifier identifier(String suffix) {
    return TableIdentifier.of(namespace(namespace), table + suffix);
  }

  static Namespace namespace(String dotted) {
    return Namespace.of(dotted.split("\\.", -1));
  }

  @Override
  public String toString() {
    return namespace + "." + table;
  }
}
