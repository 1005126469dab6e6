package io.onceberg.it.platform;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A database whose triggers record every change of a row in a table that nobody captures. From that
 * follows which rows must be in Iceberg.
 */
public final class AuditedDatabase {
  /** How many rows each table has before anything is captured. */
  static final int INITIAL_ROWS = 20;

  private static final int FETCH = 2_000;
  private static final String AUDIT =
      """
      create schema audit;
      create table audit.change (seq bigserial primary key, tbl text, op text, xid text,
        before jsonb, after jsonb);
      create function audit.record() returns trigger language plpgsql as $$ begin
        insert into audit.change (tbl, op, xid, before, after) values (
          tg_table_name, lower(left(tg_op, 1)), pg_current_xact_id()::text,
          case when tg_op <> 'INSERT' then to_jsonb(old) end,
          case when tg_op <> 'DELETE' then to_jsonb(new) end);
        return null;
      end $$;
      """;
  private static final String AUDITED =
      """
      ; %2$s;
      insert into audit.change (tbl, op, after) select '%1$s', 'r', to_jsonb(t) from %1$s t;
      create trigger audit after insert or update or delete on %1$s
        for each row execute function audit.record();
      """;

  private final Stack stack;
  private final String name;
  private final List<AuditedTable> tables;

  /** Makes the database and its tables, with rows that only a snapshot can bring. */
  AuditedDatabase(Stack stack, String name, List<AuditedTable> tables) throws SQLException {
    this.stack = stack;
    this.name = name;
    this.tables = List.copyOf(tables);
    execute("postgres", "create database " + name);
    StringBuilder schema = new StringBuilder(AUDIT);
    for (AuditedTable table : tables) {
      schema.append(table.ddl());
      schema.append(AUDITED.formatted(table.name(), table.insert(1, INITIAL_ROWS, "of old")));
    }
    execute(name, schema.toString());
  }

  public List<AuditedTable> tables() {
    return tables;
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
   * @return the number that the first column of only these rows holds
   */
  long mark() throws SQLException {
    long number = unusedNumber();
    execute(
        name,
        tables.stream()
            .map(table -> table.insert(number, number, "mark"))
            .collect(Collectors.joining(";")));
    return number;
  }

  /** A number above all that any row has. */
  long unusedNumber() throws SQLException {
    String greatest =
        tables.stream()
            .map(t -> "(select max(abs(%s)) from %s)".formatted(t.names().get(0), t.name()))
            .collect(Collectors.joining(", ", "select 1 + greatest(", ")"));
    return number(greatest);
  }

  /** How many changes of rows were recorded. */
  public long changes() throws SQLException {
    return number("select count(*) from audit.change");
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Hands over what must be in a target, one text for each row. */
  void expected(AuditedTable table, Consumer<String> event) throws SQLException {
    int columns = table.columns().size();
    try (Connection connection = connect()) {
      connection.setAutoCommit(false); // else all rows are fetched at once
      try (Statement statement = connection.createStatement()) {
        statement.setFetchSize(FETCH);
        try (ResultSet change = statement.executeQuery(changes(table))) {
          while (change.next()) {
            List<String> before = texts(change, 3, columns);
            List<String> after = texts(change, 3 + columns, columns);
            events(table, change.getString(1), change.getString(2), before, after).forEach(event);
          }
        }
      }
    }
  }

  private static String changes(AuditedTable table) {
    StringBuilder sql = new StringBuilder("select op, xid");
    for (String version : List.of("before", "after")) {
      for (String column : table.names()) {
        sql.append(", %s ->> '%s'".formatted(version, column));
      }
    }
    return sql.append(" from audit.change where tbl = '%s' order by seq".formatted(table.name()))
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
      AuditedTable table, String op, String xid, List<String> before, List<String> after) {
    int key = table.keyColumns();
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
