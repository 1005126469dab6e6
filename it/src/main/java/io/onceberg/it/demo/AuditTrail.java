package io.onceberg.it.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.onceberg.it.demo.DemoTable.Column;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the database itself recorded: triggers write every change of a row, with both versions and
 * the transaction, into a table that nobody captures. From it follows what must be in Iceberg.
 */
final class AuditTrail {
  private static final int FETCH = 2_000;

  private final Connection connection;

  /** Uses the connection until the demo ends; it must not be in auto-commit mode. */
  AuditTrail(Connection connection) {
    this.connection = connection;
  }

  /** Makes the trail and notes what the tables hold now, before anything is captured. */
  void install() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          """
          create schema audit;
          create table audit.initial (tbl text, row jsonb);
          create table audit.change (seq bigserial primary key, tbl text, op text, xid bigint,
            before jsonb, after jsonb);
          create function audit.record() returns trigger language plpgsql as $$ begin
            insert into audit.change (tbl, op, xid, before, after) values (
              tg_table_name, lower(left(tg_op, 1)), pg_current_xact_id()::text::bigint,
              case when tg_op <> 'INSERT' then to_jsonb(old) end,
              case when tg_op <> 'DELETE' then to_jsonb(new) end);
            return null;
          end $$
          """);
      for (DemoTable table : DemoTable.ALL) {
        statement.execute(
            """
            insert into audit.initial select '%1$s', to_jsonb(t) from %1$s t;
            create trigger audit after insert or update or delete on %1$s
              for each row execute function audit.record()
            """
                .formatted(table.name()));
      }
    }
    connection.commit();
  }

  /** How many changes of rows were recorded. */
  long changes() throws SQLException {
    return count("select count(*) from audit.change");
  }

  /** How many rows the snapshot has. */
  long initialRows() throws SQLException {
    return count("select count(*) from audit.initial");
  }

  /** Hands over every event that must be a row of the target, written down in full. */
  void expected(DemoTable table, Consumer<String> event) throws SQLException {
    String initial = "select row::text from audit.initial where tbl = '%s'";
    each(initial.formatted(table.name()), r -> event.accept(initial(table, r.getString(1))));
    String change =
        "select op, xid, before::text, after::text from audit.change where tbl = '%s' order by seq";
    each(
        change.formatted(table.name()),
        r ->
            changes(table, r.getString(1), r.getLong(2), tree(r.getString(3)), tree(r.getString(4)))
                .forEach(event));
  }

  private static String initial(DemoTable table, String row) {
    return Event.text("r", "", values(table, Canonical.parse(row), table.columns()), List.of());
  }

  private static List<String> changes(
      DemoTable table, String op, long xid, @Nullable JsonNode before, @Nullable JsonNode after) {
    List<String> events = new ArrayList<>();
    String tx = Long.toString(xid);
    boolean moved =
        before != null && after != null && !key(table, before).equals(key(table, after));
    if (before != null && (op.equals("d") || moved)) {
      List<Column> known =
          table.columns().stream()
              .filter(c -> table.wholeRowOnDelete() || table.key().contains(c.name()))
              .toList();
      events.add(Event.text("d", tx, values(table, before, known), List.of()));
    }
    if (after != null && (op.equals("i") || moved)) {
      events.add(Event.text("c", tx, values(table, after, table.columns()), List.of()));
    } else if (before != null && after != null) {
      events.add(update(table, tx, before, after));
    }
    return events;
  }

  private static String update(DemoTable table, String tx, JsonNode before, JsonNode after) {
    String large = after.path(DemoTable.LARGE_COLUMN).asText();
    boolean unavailable =
        !table.wholeRowOnDelete()
            && large.length() >= DemoTable.LARGE_LENGTH
            && large.equals(before.path(DemoTable.LARGE_COLUMN).asText());
    List<Column> known =
        table.columns().stream()
            .filter(c -> !unavailable || !c.name().equals(DemoTable.LARGE_COLUMN))
            .toList();
    return Event.text(
        "u",
        tx,
        values(table, after, known),
        unavailable ? List.of(DemoTable.LARGE_COLUMN) : List.of());
  }

  private static List<String> values(DemoTable table, JsonNode row, List<Column> known) {
    return table.columns().stream()
        .map(c -> Canonical.ofJson(c.type(), known.contains(c) ? row.get(c.name()) : null))
        .toList();
  }

  private static String key(DemoTable table, JsonNode row) {
    return table.key().stream().map(name -> row.path(name).toString()).toList().toString();
  }

  private static @Nullable JsonNode tree(@Nullable String json) {
    return json == null ? null : Canonical.parse(json);
  }

  private long count(String sql) throws SQLException {
    long[] found = new long[1];
    each(sql, r -> found[0] = r.getLong(1));
    return found[0];
  }

  private interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  private void each(String sql, RowReader reader) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setFetchSize(FETCH);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          reader.read(rows);
        }
      }
    }
    connection.commit();
  }
}
