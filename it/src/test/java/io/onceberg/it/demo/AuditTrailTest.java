package io.onceberg.it.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.onceberg.it.cli.Main;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.stack.ChildJvm;
import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.LocalPostgres;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.SharedStack;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the triggers recorded and what a real connector sends, replayed, are the same events. */
final class AuditTrailTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final LocalKafka kafka = SharedStack.kafka();
  private final List<String> topics = DemoTable.ALL.stream().map(DemoTable::topic).toList();

  @Fault(
      area = Area.SOURCE,
      what = "the embedded connector is killed before its offset flush",
      outcome = "every recorded change comes again, in the same form")
  @Test
  void connectorKilledBeforeItsFlushSendsEachRecordedChangeAgain(@TempDir Path directory)
      throws Exception {
    try (LocalPostgres postgres = LocalPostgres.start();
        Workload workload = new Workload(connect(postgres), connect(postgres));
        Connection auditing = connect(postgres);
        TopicReader reader = new TopicReader(kafka.bootstrapServers(), kafka.admin())) {
      DemoFiles files = new DemoFiles(directory);
      workload.createTables();
      auditing.setAutoCommit(false);
      AuditTrail audit = new AuditTrail(auditing);
      audit.install();

      files.writeCaptureConfig(postgres, kafka, Duration.ofSeconds(1));
      OwnedProcess capture = capture(files);
      long rows = audit.initialRows();
      await().atMost(PATIENCE).until(() -> reader.records(topics) == rows);
      workload.rounds(1);
      awaitMark(workload, reader);
      capture.close();

      files.writeCaptureConfig(postgres, kafka, LONG);
      capture = capture(files);
      new Slot(connect(postgres)).awaitStandstill(() -> awaitMark(workload, reader));
      workload.rounds(3);
      workload.copy();
      workload.changePrimaryKey();
      workload.burst(20);
      workload.addColumn();
      workload.changePrimaryKey();
      awaitMark(workload, reader);
      long sent = reader.records(topics);
      capture.kill();

      capture = capture(files);
      awaitMark(workload, reader);
      assertThat(reader.records(topics) - sent).isGreaterThan(1_500);
      capture.close();
      assertSame(audit, reader);
    }
  }

  private void assertSame(AuditTrail audit, TopicReader reader) throws SQLException {
    Map<String, Long> recorded = new HashMap<>();
    Map<String, Long> distinct = new HashMap<>();
    for (DemoTable table : DemoTable.ALL) {
      List<String> expected = new ArrayList<>();
      audit.expected(table, expected::add);
      recorded.put(table.name(), (long) expected.size());
      KafkaTally tally = new KafkaTally(table);
      reader.read(table.topic(), tally::add);
      distinct.put(table.name(), tally.distinctEvents());
      assertThat(tally.changeEvents()).isGreaterThan(tally.distinctEvents());
    }
    assertThat(distinct).isEqualTo(recorded);
  }

  private static OwnedProcess capture(DemoFiles files) {
    return ChildJvm.start(
        "capture",
        Main.class.getName(),
        List.of("-Xmx256m"),
        List.of("capture", "--config", files.captureConfig().toString()),
        files.captureLog());
  }

  private static void awaitMark(Workload workload, TopicReader reader) throws SQLException {
    try (TopicReader.Tail tail = reader.tail(DemoTable.CUSTOMERS.topic())) {
      String mark = workload.mark();
      await().atMost(PATIENCE).until(() -> tail.sees(mark));
    }
  }

  private static Connection connect(LocalPostgres postgres) throws SQLException {
    return postgres.connect(DemoFiles.DATABASE);
  }
}
