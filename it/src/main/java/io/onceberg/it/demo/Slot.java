package io.onceberg.it.demo;

import io.onceberg.it.stack.Deadline;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * The connector's replication slot, which shows from outside up to where the connector has stored
 * its position.
 *
 * <p>Debezium's engine stores its position at its very first batch and at its first idle moment,
 * whatever the flush interval, since both count the time from 1970. Only after that is the interval
 * kept.
 */
final class Slot {
  private static final Duration IDLE = Duration.ofSeconds(2);
  private static final int ATTEMPTS = 10;

  private final Connection connection;

  Slot(Connection connection) {
    this.connection = connection;
  }

  /** Makes some change and waits until the connector has sent it. */
  interface SmallChange {
    void make() throws SQLException;
  }

  /** Makes small changes until one of them no longer moves the stored position. */
  void awaitStandstill(SmallChange change) throws SQLException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      String before = position();
      change.make();
      if (!movedFrom(before)) {
        return;
      }
    }
    throw new DemoFailure(
        "the connector stores its position all the time, so nothing would come again");
  }

  private boolean movedFrom(String before) throws SQLException {
    Deadline deadline = Deadline.in(IDLE);
    while (position().equals(before)) {
      if (!deadline.pause()) {
        return false;
      }
    }
    return true;
  }

  private String position() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("select max(confirmed_flush_lsn) from pg_replication_slots")) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }
}
