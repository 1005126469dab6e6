package io.onceberg.it.platform;

import io.onceberg.it.stack.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Transactions, one after the other, until it is closed or has made its share: inserts of several
 * rows, updates and deletes of one or many, changes of keys, and some that are aborted. Beside them
 * lies, most of the time, one long transaction. When the database goes away it tries again until
 * that is back.
 */
public final class Traffic implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int LONGEST_TRANSACTION = 200;

  private final AuditedDatabase database;
  private final Random random;
  private final Duration pause;
  private final int most;
  private final AtomicInteger transactions = new AtomicInteger();
  private final Thread thread = new Thread(this::run, "traffic");
  private volatile boolean closed;
  private volatile boolean held;
  private long next;
  private int untilLongEnds;

  /**
   * Begins.
   *
   * @param pause between two transactions
   * @param most how many transactions there are at most
   */
  public Traffic(AuditedDatabase database, long seed, Duration pause, int most)
      throws SQLException {
    this.next = database.unusedNumber();
    this.database = database;
    this.random = new Random(seed);
    this.pause = pause;
    this.most = most;
    thread.setDaemon(true);
    thread.start();
  }

  public int transactions() {
    return transactions.get();
  }

  /** Makes no more transactions until this is called with false. */
  public void hold(boolean on) {
    held = on;
  }

  /** Waits until so many more transactions are made. */
  public void awaitMore(int count) {
    int wanted = transactions() + count;
    Deadline deadline = Deadline.in(PATIENCE);
    while (transactions() < wanted) {
      if (!thread.isAlive() || !deadline.pause()) {
        throw new PlatformException("no more traffic after " + transactions());
      }
    }
  }

  private boolean isOver() {
    return closed || transactions() >= most;
  }

  private void run() {
    while (!isOver()) {
      try (Connection connection = database.connect();
          Connection other = database.connect()) {
        connection.setAutoCommit(false);
        other.setAutoCommit(false);
        untilLongEnds = 0;
        work(connection, other);
        other.commit();
      } catch (SQLException e) {
        Deadline.in(pause.plusMillis(25)).await(() -> closed); // the database is away
      }
    }
  }

  private void work(Connection connection, Connection other) throws SQLException {
    while (!isOver()) {
      if (!held) {
        change(connection);
        if (random.nextInt(16) == 0) {
          connection.rollback();
        } else {
          connection.commit();
        }
        transactions.incrementAndGet();
        goOnWithLong(other);
      }
      Deadline.in(pause).await(() -> closed);
    }
  }

  /** It touches nothing but rows of its own, so that nobody waits for it. */
  private void goOnWithLong(Connection other) throws SQLException {
    if (untilLongEnds == 0) {
      untilLongEnds = 1 + random.nextInt(LONGEST_TRANSACTION);
    }
    untilLongEnds--;
    if (untilLongEnds % 8 == 0) {
      insert(other, 1 + random.nextInt(3));
    }
    if (untilLongEnds == 0) {
      if (random.nextInt(4) == 0) {
        other.rollback();
      } else {
        other.commit();
      }
    }
  }

  /** Whatever becomes of the transaction, its numbers are not used again. */
  private void insert(Connection connection, int count) throws SQLException {
    long first = next;
    next += count;
    for (AuditedTable table : database.tables()) {
      execute(connection, table.insert(first, first + count - 1, "row-" + first));
    }
  }

  private void change(Connection connection) throws SQLException {
    insert(connection, 1 + random.nextInt(5));
    for (AuditedTable table : database.tables()) {
      if (!table.settings().contains("kind=events")) {
        change(connection, table);
      }
    }
  }

  private void change(Connection connection, AuditedTable table) throws SQLException {
    String column = table.names().get(0);
    String last = table.names().get(table.columns().size() - 1);
    long some = 1 + random.nextLong(next);
    String one = " where %s = %d".formatted(column, some);
    String many = " where %s between %d and %d".formatted(column, some, some + random.nextInt(8));
    String update = "update %1$s set %2$s = %2$s + 1".formatted(table.name(), last);
    execute(connection, update + one);
    switch (random.nextInt(8)) {
      case 0 -> execute(connection, "delete from " + table.name() + one);
      case 1 ->
          execute(connection, "update %1$s set %2$s = -%2$s".formatted(table.name(), column) + one);
      case 2 -> execute(connection, update + many);
      case 3 -> twins(connection, table);
      case 4 -> execute(connection, "delete from " + table.name() + many);
      default -> {
        // most transactions only grow
      }
    }
  }

  /** Equal rows of one statement, where the table can have them. */
  private void twins(Connection connection, AuditedTable table) throws SQLException {
    if (table.keyColumns() == 0) {
      long number = next++;
      execute(connection, table.insert(number, number, "twin") + ", generate_series(1, 2)");
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Lets the transactions in work end, and makes no more. */
  public void end() {
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
