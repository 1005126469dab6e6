package io.onceberg.it.platform;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A database of two tables whose triggers record every change of a row in a table that nobody
 * captures. From that follows which rows must be in Iceberg.
 */
final class AuditedDatabase {
  static final String ORDERS = "orders";
  static final String LINES = "order_lines";

  /** How many rows each table has before anything is captured. */
  static final int INITIAL_ROWS = 20;

  /** The tables and their columns; the first so many, see {@link #KEY_COLUMNS}, are the key. */
  static final Map<String, List<String>> TABLES =
      new TreeMap<>(
          Map.of(
              ORDERS, List.of("id", "customer", "amount"),
              LINES, List.of("order_id", "line", "sku", "amount")));

  private static final Map<String, Integer> KEY_COLUMNS = Map.of(ORDERS, 1, LINES, 2);

  private static final String SCHEMA =
      """
      create table orders (id bigint primary key, customer text, amount numeric(10,2));
      create table order_lines (order_id bigint, line int, sku text, amount numeric(10,2),
        primary key (order_id, line));
      alter table orders replica identity full;
      alter table order_lines replica identity full;
      insert into orders select i, 'of old', i * 1.25 from generate_series(1, 20) i;
      insert into order_lines select i, 1, 'sku-' || i, i * 1.25 from generate_series(1, 20) i;
      create schema audit;
      create table audit.change (seq bigserial primary key, tbl text, op text, xid text,
        before jsonb, after jsonb);
      insert into audit.change (tbl, op, after) select 'orders', 'r', to_jsonb(t) from orders t;
      insert into audit.change (tbl, op, after)
        select 'order_lines', 'r', to_jsonb(t) from order_lines t;
      create function audit.record() returns trigger language plpgsql as $$ begin
        insert into audit.change (tbl, op, xid, before, after) values (
          tg_table_name, lower(left(tg_op, 1)), pg_current_xact_id()::text,
          case when tg_op <> 'INSERT' then to_jsonb(old) end,
          case when tg_op <> 'DELETE' then to_jsonb(new) end);
        return null;
      end $$;
      create trigger audit after insert or update or delete on orders
        for each row execute function audit.record();
      create trigger audit after insert or update or delete on order_lines
        for each row execute function audit.record()
      """;

  private final Stack stack;
  private final String name;

  AuditedDatabase(Stack stack, String name) throws SQLException {
    this.stack = stack;
    this.name = name;
    execute("postgres", "create database " + name);
    execute(name, SCHEMA);
  }

  Connection connect() throws SQLException {
    return stack.connect(name);
  }

  private void execute(String database, String sql) throws SQLException {
    try (Connection connection = stack.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /**
   * One last change of each table, made after all others.
   *
   * @return a text that only these rows hold
   */
  String mark() throws SQLException {
    String text = SharedPlatform.uniqueName("mark");
    execute(
        name,
        """
        with next as (select coalesce(max(abs(id)), 0) + 1 as id from orders),
          parent as (insert into orders select id, '%1$s', 0 from next returning id)
        insert into order_lines select id, 1, '%1$s', 0 from parent
        """
            .formatted(text));
    return text;
  }

  /** What must be in a target, one text for each row. */
  List<String> expected(String table) throws SQLException {
    List<String> all = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet change = statement.executeQuery(changes(table))) {
      int columns = TABLES.getOrDefault(table, List.of()).size();
      while (change.next()) {
        List<String> before = texts(change, 3, columns);
        List<String> after = texts(change, 3 + columns, columns);
        all.addAll(events(table, change.getString(1), change.getString(2), before, after));
      }
    }
    return all;
  }

  private static String changes(String table) {
    StringBuilder sql = new StringBuilder("select op, xid");
    for (String version : List.of("before", "after")) {
      for (String column : TABLES.getOrDefault(table, List.of())) {
        sql.append(", %s ->> '%s'".formatted(version, column));
      }
    }
    return sql.append(" from audit.change where tbl = '%s' order by seq".formatted(table))
        .toString();
  }

  private static List<String> texts(ResultSet row, int first, int count) throws SQLException {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      texts.add(String.valueOf(row.getString(first + i)));
    }
    return texts;
  }

  /** A change of the key is a delete and a create. */
  private static List<String> events(
      String table, String op, String xid, List<String> before, List<String> after) {
    int key = KEY_COLUMNS.getOrDefault(table, 0);
    boolean moved = op.equals("u") && !before.subList(0, key).equals(after.subList(0, key));
    if (moved) {
      return List.of(event("d", xid, before), event("c", xid, after));
    }
    return switch (op) {
      case "r" -> List.of(event("r", "", after));
      case "i" -> List.of(event("c", xid, after));
      case "d" -> List.of(event("d", xid, before));
      default -> List.of(event(op, xid, after));
    };
  }

  /** One event written down in full, the same from the database and from Iceberg. */
  static String event(String op, String transaction, List<String> values) {
    return "%s in %s %s".formatted(op, transaction, values);
  }
}
