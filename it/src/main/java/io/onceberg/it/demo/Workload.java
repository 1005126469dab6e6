package io.onceberg.it.demo;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;

/**
 * What happens in the shop. Every value follows from a running number, so that two runs differ only
 * in their times. One round is some 150 changes in eight transactions over all tables.
 */
final class Workload implements AutoCloseable {
  static final int CHANGES_PER_ROUND = 150;
  private static final int COPIED = 1_000;
  private static final int ROUNDS_PER_OVERLAP = 10;

  private final Connection connection;
  private final Connection other;
  private int round;

  Workload(Connection connection, Connection other) throws SQLException {
    this.connection = connection;
    this.other = other;
    connection.setAutoCommit(false);
    other.setAutoCommit(false);
  }

  /** Makes the tables, with rows that only a snapshot can bring. */
  void createTables() throws SQLException {
    for (DemoTable table : DemoTable.ALL) {
      run(connection, table.ddl());
    }
    connection.commit();
    everyTable(40);
    connection.commit();
  }

  /** Rounds of small transactions. */
  void rounds(int count) throws SQLException {
    for (int i = 0; i < count; i++) {
      oneRound();
    }
  }

  /** Many rows in one transaction, over all tables. */
  void burst(int rowsPerTable) throws SQLException {
    everyTable(1);
    everyTable(rowsPerTable - 1);
    connection.commit();
  }

  /** 1,000 rows that share one position in the database's log. */
  void copy() throws SQLException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < COPIED; i++) {
      lines.append("%d,%d,copied,%d.25\n".formatted(base() + i, i, i));
    }
    try {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn(
              "copy orders (id, customer_id, status, total) from stdin with (format csv)",
              new StringReader(lines.toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    round++;
    connection.commit();
  }

  /**
   * A row gets another primary key: the old key is deleted and the new one made at one position.
   */
  void changePrimaryKey() throws SQLException {
    run(connection, "update customers set id = -id where id = (select max(id) from customers)");
    connection.commit();
  }

  /** The schema grows while everything runs. */
  void addColumn() throws SQLException {
    run(connection, "alter table customers add column tier text");
    run(connection, "update customers set tier = 'gold' where id % 7 = 0");
    connection.commit();
  }

  /**
   * One last row, by whose arrival in Kafka one knows that all before it has arrived.
   *
   * @return a text that only this row holds
   */
  String mark() throws SQLException {
    round++;
    String text = "marker-%d-".formatted(round);
    run(
        connection,
        "insert into %s (id, name) values (%d, '%s')"
            .formatted(DemoTable.CUSTOMERS.name(), base() + 999, text));
    connection.commit();
    return text;
  }

  private void oneRound() throws SQLException {
    insertCustomers(12);
    connection.commit();
    insertOrders(20);
    insertItems(40);
    connection.commit();
    insertPageViews(18);
    connection.commit();
    insertOutbox(20);
    run(
        connection,
        "update customers set balance = balance + 1.5 where id in (select id"
            + " from customers order by id desc limit 6)");
    connection.commit();
    run(
        connection,
        "update orders set status = 'paid' where id in (select id from orders"
            + " order by id desc limit 18)");
    connection.commit();
    run(
        connection,
        "delete from order_items where (order_id, line) in (select order_id, line"
            + " from order_items order by order_id, line limit 6)");
    run(
        connection,
        "delete from orders where id in (select id from orders where status = 'paid'"
            + " order by id limit 2)");
    connection.commit();
    run(
        connection,
        "update page_views set millis = millis + 1 where ctid in (select ctid"
            + " from page_views order by seen_at desc limit 4)");
    run(
        connection,
        "delete from page_views where ctid in (select ctid from page_views"
            + " order by seen_at limit 3)");
    connection.commit();
    if (round % ROUNDS_PER_OVERLAP == 0) {
      overlap();
    }
    round++;
  }

  /** Two transactions that write in turn and end the other way round. */
  private void overlap() throws SQLException {
    String insert = "insert into customers (id, name) values (%d, 'overlap')";
    for (int i = 0; i < 4; i++) {
      run(i % 2 == 0 ? connection : other, insert.formatted(base() + 900 + i));
    }
    other.commit();
    run(connection, insert.formatted(base() + 904));
    connection.commit();
  }

  private void everyTable(int rows) throws SQLException {
    insertCustomers(rows);
    insertOrders(rows);
    insertItems(rows);
    run(
        connection,
        series("page_views", rows, "'once-' || i, '/p/' || i, i % 5000, clock_timestamp()"));
    insertOutbox(rows);
    round += 1 + rows / 1_000;
  }

  private void insertCustomers(int rows) throws SQLException {
    run(
        connection,
        series(
            "customers",
            rows,
            "i, 'Customer ' || i, 'c' || i || '@example.org', (i % 1000) + 0.10, i % 3 > 0,"
                + " date '1970-01-01' + (i % 20000)::int, clock_timestamp()"));
  }

  /** Every fifth order has a note that PostgreSQL stores apart. */
  private void insertOrders(int rows) throws SQLException {
    run(
        connection,
        series(
            "orders",
            rows,
            "i, i / 2, 'new', i * 1.01, case when i %% 5 = 0 then repeat(md5(i::text), %d)"
                    .formatted(DemoTable.LARGE_LENGTH / 32 + 1)
                + " else 'short' end, localtimestamp,"
                + " jsonb_build_object('channel', 'web', 'n', i)"));
  }

  private void insertItems(int rows) throws SQLException {
    run(
        connection,
        series(
            "order_items",
            rows,
            "i / 2, (i % 2)::int, 'sku-' || i % 97, 1 + (i % 4)::int, (i % 500) + 0.99, i / 8.0"));
  }

  /** Each row comes twice in its statement: equal rows that nothing but their place tells apart. */
  private void insertPageViews(int rows) throws SQLException {
    run(
        connection,
        "insert into page_views select 'v-' || i / 2, '/p/' || i / 2, (i / 2) % 5000,"
            + " timestamptz '2026-01-01 00:00:00+00' + i / 2 * interval '1 second'"
            + " from generate_series(%d::bigint, %d) i".formatted(base(), base() + rows - 1));
  }

  private void insertOutbox(int rows) throws SQLException {
    run(
        connection,
        series(
            "outbox",
            rows,
            "md5('outbox-' || i)::uuid, 'order-' || i, 'OrderPlaced',"
                + " jsonb_build_object('order', i, 'total', i * 1.01), clock_timestamp()"));
  }

  private String series(String table, int rows, String values) {
    return "insert into %s select %s from generate_series(%d::bigint, %d) i"
        .formatted(table, values, base(), base() + rows - 1);
  }

  private long base() {
    return round * 1_000L + 1_000_000;
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
    other.close();
  }
}
