package io.onceberg.it.demo;

import java.util.List;
import java.util.Locale;

/**
 * A table of the demo's database and its target.
 *
 * @param columns as they are at the end of the demo; one of them is added on the way
 * @param key what the connector knows a row by, or the event key; empty for a table without any
 * @param wholeRowOnDelete whether a delete brings the whole old row, not only its key
 */
record DemoTable(
    String name,
    boolean events,
    List<Column> columns,
    List<String> key,
    boolean wholeRowOnDelete,
    String ddl) {
  static final String NAMESPACE = "shop";
  static final String PREFIX = "shop";

  /** Longer values of this column lie apart and do not come with an update that keeps them. */
  static final String LARGE_COLUMN = "note";

  static final int LARGE_LENGTH = 4_000;

  DemoTable {
    columns = List.copyOf(columns);
    key = List.copyOf(key);
  }

  /** A column and what its values are. */
  record Column(String name, Type type) {}

  /** Kinds of values that are written down alike on both sides of the comparison. */
  enum Type {
    NUMBER,
    TEXT,
    TRUTH,
    DATE,
    LOCAL_TIME,
    INSTANT,
    JSON
  }

  /** The Kafka topic that the connector writes to. */
  String topic() {
    return PREFIX + ".public." + name;
  }

  /** The Iceberg table. */
  String target() {
    return NAMESPACE + "." + name;
  }

  static final DemoTable CUSTOMERS =
      table(
          "customers",
          "id number, name text, email text, balance number, active truth, born date,"
              + " updated_at instant, tier text",
          List.of("id"),
          """
          create table customers (id bigint primary key, name text, email text,
            balance numeric(12,2), active boolean, born date, updated_at timestamptz)
          """);

  static final DemoTable ORDERS =
      table(
          "orders",
          "id number, customer_id number, status text, total number, note text,"
              + " placed_at local_time, meta json",
          List.of("id"),
          """
          create table orders (id bigint primary key, customer_id bigint, status text,
            total numeric(14,2), note text, placed_at timestamp, meta jsonb);
          alter table orders alter column note set storage external
          """);

  static final DemoTable ORDER_ITEMS =
      table(
          "order_items",
          "order_id number, line number, sku text, quantity number, price number, weight number",
          List.of("order_id", "line"),
          """
          create table order_items (order_id bigint, line int, sku text, quantity int,
            price numeric(10,2), weight double precision, primary key (order_id, line))
          """);

  static final DemoTable PAGE_VIEWS =
      new DemoTable(
          "page_views",
          false,
          columns("visitor text, url text, millis number, seen_at instant"),
          List.of(),
          true,
          """
          create table page_views (visitor text, url text, millis int, seen_at timestamptz);
          alter table page_views replica identity full
          """);

  static final DemoTable OUTBOX =
      new DemoTable(
          "outbox",
          true,
          columns("event_id text, aggregate text, type text, payload json, created_at instant"),
          List.of("event_id"),
          false,
          """
          create table outbox (event_id uuid primary key, aggregate text, type text,
            payload jsonb, created_at timestamptz)
          """);

  static final List<DemoTable> ALL = List.of(CUSTOMERS, ORDERS, ORDER_ITEMS, PAGE_VIEWS, OUTBOX);

  private static DemoTable table(String name, String columns, List<String> key, String ddl) {
    return new DemoTable(name, false, columns(columns), key, false, ddl);
  }

  private static List<Column> columns(String text) {
    return List.of(text.split(", *")).stream()
        .map(column -> column.split(" "))
        .map(parts -> new Column(parts[0], Type.valueOf(parts[1].toUpperCase(Locale.ROOT))))
        .toList();
  }
}
