package io.onceberg.it.platform;

import static io.onceberg.it.platform.AuditedDatabase.LINES;
import static io.onceberg.it.platform.AuditedDatabase.ORDERS;

import io.onceberg.it.stack.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Small transactions, one after the other, until it is closed or has made its share. When the
 * database goes away it tries again until that is back.
 */
final class Traffic implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(25);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int MOST_TRANSACTIONS = 4_000;

  private final AuditedDatabase database;
  private final Random random;
  private final AtomicInteger transactions = new AtomicInteger();
  private final Thread thread = new Thread(this::run, "traffic");
  private volatile boolean closed;
  private long nextId = 1_000;

  Traffic(AuditedDatabase database, long seed) {
    this.database = database;
    this.random = new Random(seed);
    thread.setDaemon(true);
    thread.start();
  }

  int transactions() {
    return transactions.get();
  }

  /** Waits until so many more transactions are made. */
  void awaitMore(int count) {
    int wanted = transactions() + count;
    Deadline deadline = Deadline.in(PATIENCE);
    while (transactions() < wanted) {
      if (!thread.isAlive() || !deadline.pause()) {
        throw new PlatformException("no more traffic after " + transactions());
      }
    }
  }

  private void run() {
    while (!closed && transactions() < MOST_TRANSACTIONS) {
      try (Connection connection = database.connect()) {
        connection.setAutoCommit(false);
        work(connection);
      } catch (SQLException e) {
        Deadline.in(PAUSE).await(() -> closed); // the database is away
      }
    }
  }

  private void work(Connection connection) throws SQLException {
    while (!closed && transactions() < MOST_TRANSACTIONS) {
      // whatever became of an interrupted transaction, its ids are not used again
      long first = nextId;
      int count = 1 + random.nextInt(5);
      nextId += count;
      change(connection, first, first + count - 1);
      connection.commit();
      transactions.incrementAndGet();
      Deadline.in(PAUSE).await(() -> closed);
    }
  }

  private void change(Connection connection, long from, long to) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "insert into %s select i, 'c' || i, i * 0.75 from generate_series(%d::bigint, %d) i"
              .formatted(ORDERS, from, to));
      statement.execute(
          ("insert into %s select i, l, 'sku-' || l, l * 2.5"
                  + " from generate_series(%d::bigint, %d) i, generate_series(1, 2) l")
              .formatted(LINES, from, to));
      long some = 1_000 + random.nextLong(to - 999);
      statement.execute("update %s set amount = amount + 1 where id = %d".formatted(ORDERS, some));
      switch (random.nextInt(4)) {
        case 0 -> statement.execute("delete from %s where id = %d".formatted(ORDERS, some));
        case 1 ->
            statement.execute(
                "update %s set order_id = -order_id where order_id = %d and line = 2"
                    .formatted(LINES, some));
        default -> {
          // most transactions only grow
        }
      }
    }
  }

  /** Lets the transaction in work end, and makes no more. */
  void end() {
    closed = true;
    try {
      thread.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PlatformException("interrupted", e);
    }
  }

  @Override
  public void close() {
    end();
  }
}
