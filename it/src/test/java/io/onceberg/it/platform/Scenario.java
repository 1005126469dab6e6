package io.onceberg.it.platform;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.ingest.ops.PlanLine;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One database, its connector, its topics and its tables, on the shared platform. */
final class Scenario implements AutoCloseable {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(25);
  private static final int MOST_TRANSACTIONS = 4_000;
  private static final List<AuditedTable> TABLES = List.of(AuditedTable.ORDERS, AuditedTable.LINES);

  private final Stack stack = SharedPlatform.stack();
  private final String name;
  private final AuditedPath path;

  Scenario(String prefix) throws SQLException {
    name = SharedPlatform.uniqueName(prefix);
    path = new AuditedPath(stack, name, TABLES, Map.of());
  }

  Connector connector() {
    return path.connector();
  }

  /** Starts small transactions. */
  Traffic traffic(long seed) throws SQLException {
    return new Traffic(path.database(), seed, PAUSE, MOST_TRANSACTIONS);
  }

  /** Starts the daemon of this scenario. */
  RunningDaemon startDaemon() {
    return stack.daemon(name, path.daemonSettings());
  }

  /** How many records the topic of a table holds. */
  long records(AuditedTable table) {
    return path.records(table);
  }

  /**
   * Makes one last change, waits until it and all before it have come to the tables, and holds
   * these against what the database has recorded.
   */
  void assertWhole(RunningDaemon daemon) throws SQLException {
    Runnable alive = () -> assertThat(daemon.alive()).as(daemon::output).isTrue();
    assertThat(path.awaitDrained(LONG, alive)).as(daemon::output).isTrue();
    for (AuditedTable table : TABLES) {
      assertThat(path.check(table).faults()).isEmpty();
    }
  }

  /** Whether a daemon's last plan of a target has not come to its tables. */
  boolean isBatchOpen(String output) {
    List<PlanLine> plans = output.lines().map(PlanLine::parse).flatMap(Optional::stream).toList();
    PlanLine last = plans.get(plans.size() - 1);
    Map<String, Long> ledger = path.tables().offsets(last.target().table());
    return last.ranges().stream()
        .anyMatch(r -> ledger.getOrDefault(r.partition().toString(), 0L) < r.until());
  }

  /** A daemon that is asked to ends within ten seconds and says that all is well. */
  static void assertEndsWell(RunningDaemon daemon) {
    assertThat(daemon.stop(Duration.ofSeconds(10))).as(daemon::output).isTrue();
    assertThat(daemon.exitStatus()).as(daemon::output).hasValue(0);
  }

  @Override
  public void close() {
    path.close();
  }
}
