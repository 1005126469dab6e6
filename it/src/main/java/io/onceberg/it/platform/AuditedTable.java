package io.onceberg.it.platform;

import java.util.List;

/**
 * A table of an audited database. Its first column is a number, and every change brings the whole
 * old row.
 *
 * @param columns names and types as SQL writes them, such as {@code id bigint}
 * @param keyColumns how many of the first columns are the primary key; 0 for a table without one
 * @param settings of its target, the name {@code table.<table>.} left out
 * @param values of a new row as SQL writes them, with {@code i} for its number and {@code t} for a
 *     text
 */
public record AuditedTable(
    String name, List<String> columns, int keyColumns, List<String> settings, String values) {
  /** A table with a simple key. */
  public static final AuditedTable ORDERS =
      new AuditedTable(
          "orders",
          List.of("id bigint", "customer text", "amount numeric(10,2)"),
          1,
          List.of(),
          "i, t, i * 1.25");

  /** A table with a key of two columns. */
  public static final AuditedTable LINES =
      new AuditedTable(
          "order_lines",
          List.of("order_id bigint", "line int", "sku text", "amount numeric(10,2)"),
          2,
          List.of(),
          "i, 1, t, i * 1.25");

  /** A table without a key, whose rows may be equal. */
  public static final AuditedTable VISITS =
      new AuditedTable(
          "visits", List.of("visitor bigint", "page text", "millis int"), 0, List.of(), "i, t, 7");

  /** Facts with a business key: rows are added and never changed. */
  public static final AuditedTable OUTBOX =
      new AuditedTable(
          "outbox",
          List.of("number bigint", "event_id text", "payload text"),
          0,
          List.of("kind=events", "key=event_id"),
          "i, 'event-' || i, t");

  public AuditedTable {
    columns = List.copyOf(columns);
    settings = List.copyOf(settings);
  }

  /** Whether only their order tells its changes apart, so that its topic has one partition. */
  public boolean isToldByOrder() {
    return keyColumns == 0 && !settings.contains("kind=events");
  }

  /** The columns' names. */
  public List<String> names() {
    return columns.stream().map(column -> column.substring(0, column.indexOf(' '))).toList();
  }

  /** The statement that makes the table. */
  String ddl() {
    String key =
        keyColumns == 0
            ? ""
            : ", primary key (" + String.join(", ", names().subList(0, keyColumns)) + ")";
    return "create table %1$s (%2$s%3$s); alter table %1$s replica identity full"
        .formatted(name, String.join(", ", columns), key);
  }

  /** The statement that adds the rows of these numbers, the last included. */
  String insert(long from, long to, String text) {
    return "insert into %s select %s from generate_series(%d::bigint, %d) i, (values ('%s')) v(t)"
        .formatted(name, values, from, to, text);
  }
}
