package io.onceberg.ingest.config;

import java.util.Optional;

/**
 * A name such as {@code table.orders.partition.by}, taken apart: the table as written there, and
 * the setting.
 *
 * @param setting one of {@link Settings#TABLE}, or {@code properties.<name>}
 */
record TableKey(String table, String setting) {
  static final String PREFIX = "table.";
  static final String PROPERTIES = "properties.";

  /** Whatever the table's name, a table property is told first, then the known settings. */
  static Optional<TableKey> parse(String key) {
    if (!key.startsWith(PREFIX)) {
      return Optional.empty();
    }
    String rest = key.substring(PREFIX.length());
    int properties = rest.indexOf("." + PROPERTIES);
    if (properties > 0 && rest.length() > properties + 1 + PROPERTIES.length()) {
      return Optional.of(
          new TableKey(rest.substring(0, properties), rest.substring(properties + 1)));
    }
    return Settings.TABLE.stream()
        .map(Setting::name)
        .filter(name -> rest.endsWith("." + name) && rest.length() > name.length() + 1)
        .findFirst()
        .map(name -> new TableKey(rest.substring(0, rest.length() - name.length() - 1), name));
  }

  static String name(String table, String setting) {
    return PREFIX + table + "." + setting;
  }
}
