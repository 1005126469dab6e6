package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Envelopes in the form of Debezium's connectors for MySQL and SQL Server. A changelog has no
 * identity for them, so it is refused; an events table is known by its own key, whatever the
 * positions are.
 */
class OtherConnectorsTest extends OutboxTopic {
  private static final String ENVELOPE =
      "{\"before\":null,\"after\":{\"id\":%d,\"name\":\"a\"},\"source\":{\"version\":\"3.6.1.Final\","
          + "\"connector\":\"%s\",\"name\":\"shop\",\"ts_ms\":1700000000000,\"snapshot\":\"false\","
          + "\"db\":\"app\",\"sequence\":null,\"ts_us\":1700000000000000,"
          + "\"ts_ns\":1700000000000000000,\"table\":\"outbox\",%s},\"transaction\":null,"
          + "\"op\":\"c\",\"ts_ms\":1700000000123,\"ts_us\":1700000000123000,"
          + "\"ts_ns\":1700000000123000000}";

  private static Event mysql(long id, String file, long position) {
    return event(
        id,
        "mysql",
        "\"server_id\":223344,\"gtid\":null,\"file\":\"%s\",\"pos\":%d,\"row\":0,\"thread\":7,\"query\":null"
            .formatted(file, position));
  }

  private static Event sqlServer(long id, String change, long serial) {
    return event(
        id,
        "sqlserver",
        ("\"schema\":\"dbo\",\"change_lsn\":\"%s\",\"commit_lsn\":\"00000027:00000758:0005\","
                + "\"event_serial_no\":%d")
            .formatted(change, serial));
  }

  private static Event event(long id, String connector, String position) {
    return new Event(Event.key(id), ENVELOPE.formatted(id, connector, position));
  }

  private static final List<Event> MYSQL =
      List.of(
          mysql(1, "mysql-bin.000001", 999),
          mysql(2, "mysql-bin.000001", 1_000),
          mysql(3, "mysql-bin.999999", 4),
          mysql(4, "mysql-bin.1000000", 4));

  private static final List<Event> SQL_SERVER =
      List.of(
          sqlServer(1, "00000027:00000758:0003", 1),
          sqlServer(2, "00000027:00000758:0003", 2),
          sqlServer(3, "00000027:00000758:0004", 1));

  @Fault(
      area = Area.IDENTITY,
      what = "MySQL events at positions 999 and 1000 and in files .999999 and .1000000",
      outcome = "an events table has each once, by its own key, in any order; a replay adds none",
      cases = Case.B9)
  @Test
  void eventsOfMySqlAreKnownByTheirKey() {
    assertEachOnce(MYSQL);
  }

  @Fault(
      area = Area.IDENTITY,
      what = "SQL Server events that share commit_lsn, and change_lsn or event_serial_no",
      outcome = "an events table has each once, by its own key; a replay adds none",
      cases = Case.B10)
  @Test
  void eventsOfSqlServerAreKnownByTheirKey() {
    assertEachOnce(SQL_SERVER);
  }

  private void assertEachOnce(List<Event> events) {
    Pipeline pipeline = open("id", Map.of());
    pipeline.send(topic, 0, events);
    pipeline.send(topic, 0, events.subList(1, 3));
    TargetReport first = pipeline.landed();
    assertThat(first.rows()).isEqualTo(events.size());
    assertThat(first.inBatch()).isEqualTo(2);
    pipeline.send(topic, 0, events);
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(events.size());
    assertThat(pipeline.count("outbox")).isEqualTo(events.size());
  }

  @Fault(
      area = Area.IDENTITY,
      what = "a changelog of MySQL or SQL Server, whose positions have no identity here yet",
      outcome = "OB-408, the target stops before its first row; nothing is guessed",
      cases = {Case.B9, Case.B10})
  @Test
  void aChangelogOfAnotherConnectorIsRefused() {
    Pipeline pipeline = open("", Map.of("table.outbox.kind", "changelog"));
    pipeline.send(topic, 0, MYSQL);
    assertThat(pipeline.failed().error())
        .hasMessageContaining("mysql")
        .extracting("code")
        .isEqualTo(ErrorCode.CONNECTOR_UNSUPPORTED);
    assertThat(pipeline.target("outbox").ledger().progress()).isEmpty();
    pipeline.send(topic, 0, SQL_SERVER);
    assertThat(pipeline.failed().error().code()).isEqualTo(ErrorCode.CONNECTOR_UNSUPPORTED);
  }
}
