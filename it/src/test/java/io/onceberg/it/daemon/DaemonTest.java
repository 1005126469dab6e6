package io.onceberg.it.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.ingest.ops.BatchLine;
import io.onceberg.ingest.ops.PlanLine;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.source.TestTopic;
import io.onceberg.it.stack.ChildJvm;
import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.SharedStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon as its users run it: a process with a file of settings. */
final class DaemonTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir Path dir;

  @Fault(
      area = Area.OUT_OF_REACH,
      what = "the broker goes while the daemon runs, and comes back",
      outcome = "OB-201 once; it waits and goes on")
  @Test
  void itWaitsForKafkaSaysSoOnceAndEndsInOrder() throws Exception {
    try (LocalKafka kafka = LocalKafka.start();
        TestTopic topic = TestTopic.create(kafka, "shop.public.orders", 2, Map.of());
        OwnedProcess daemon = start(kafka.bootstrapServers(), topic.name(), "run")) {
      send(topic, 0, 50);
      await(daemon, () -> rows(daemon) == 50);

      kafka.kill();
      daemon.awaitOutput("trying again until it works", PATIENCE);
      kafka.restart();
      send(topic, 50, 80);
      await(daemon, () -> rows(daemon) == 80);
      assertThat(daemon.output())
          .containsOnlyOnce("trying again until it works")
          .containsOnlyOnce("back to work after");

      long asked = System.nanoTime();
      assertThat(daemon.terminate(Duration.ofSeconds(10))).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(10));
      assertThat(daemon.exitStatus()).hasValue(0);
      assertThat(daemon.output()).contains("state STOPPING -> STOPPED").doesNotContain("\tat ");
      assertThat(plans(daemon)).isEqualTo(batches(daemon).count());

      try (OwnedProcess sql =
          start(
              kafka.bootstrapServers(),
              topic.name(),
              "sql",
              "--csv",
              "select count(*) as n, sum(o.id) as s from orders o join cdc.orders using (id)")) {
        assertThat(sql.awaitEnd(PATIENCE)).isTrue();
        assertThat(sql.output()).contains("n,s\n80,3160\n");
        assertThat(sql.exitStatus()).hasValue(0);
      }
    }
  }

  @Test
  void aMissingTopicEndsTheStart() throws Exception {
    String servers = SharedStack.kafka().bootstrapServers();
    try (OwnedProcess daemon = start(servers, "there.is.none", "run")) {
      assertThat(daemon.awaitEnd(PATIENCE)).isTrue();
      assertThat(daemon.exitStatus()).hasValue(12);
      assertThat(daemon.output())
          .contains("error OB-202 TOPIC_MISSING: topic there.is.none does not exist")
          .contains("see docs/runbook.md, section OB-202")
          .doesNotContain("\tat ");
    }
  }

  @Fault(
      area = Area.OUT_OF_REACH,
      what = "no broker answers at the start",
      outcome = "OB-201 after start.wait.ms, the daemon stops")
  @Test
  void aWrongBootstrapServerEndsTheStart() throws Exception {
    try (OwnedProcess daemon = start("127.0.0.1:1", "a.b", "run")) {
      assertThat(daemon.awaitEnd(PATIENCE)).isTrue();
      assertThat(daemon.exitStatus()).hasValue(12);
      assertThat(daemon.output())
          .contains("error OB-201 KAFKA_UNREACHABLE: ")
          .contains("127.0.0.1:1")
          .doesNotContain("\tat ");
    }
  }

  private OwnedProcess start(String servers, String topics, String command, String... more)
      throws Exception {
    Path file =
        Files.writeString(
            dir.resolve("onceberg.properties"),
            """
            kafka.bootstrap.servers=%s
            topics=%s
            key.converter.schemas.enable=false
            value.converter.schemas.enable=false
            catalog.warehouse=%s
            batch.max.wait.ms=100
            source.poll.timeout.ms=2000
            start.wait.ms=1000
            retry.backoff.max.ms=1000
            """
                .formatted(servers, topics, dir.resolve("warehouse")));
    List<String> arguments =
        Stream.concat(Stream.of(command, "--config", file.toString()), Stream.of(more)).toList();
    return ChildJvm.start(
        "daemon",
        "io.onceberg.ingest.cli.Main",
        List.of("-Xmx1g"),
        arguments,
        dir.resolve(command + ".log"));
  }

  private static void send(TestTopic topic, int from, int until) {
    for (int i = from; i < until; i++) {
      topic.send(
          i % 2,
          "{\"id\":%d}".formatted(i),
          """
          {"before":null,"after":{"id":%d,"name":"n"},"op":"c","ts_ms":1700000000000,"source":{\
          "version":"3","connector":"postgresql","name":"shop","db":"app","schema":"public",\
          "table":"orders","txId":%d,"lsn":%d,"ts_ms":1700000000000,"snapshot":"false"}}"""
              .formatted(i, i, i));
    }
  }

  private static void await(OwnedProcess daemon, Callable<Boolean> reached) {
    Awaitility.await()
        .atMost(PATIENCE)
        .failFast(() -> assertThat(daemon.alive()).as(daemon.tail()).isTrue())
        .until(reached);
  }

  private static long rows(OwnedProcess daemon) {
    return batches(daemon).mapToLong(TargetReport::rows).sum();
  }

  private static Stream<TargetReport> batches(OwnedProcess daemon) {
    return daemon
        .output()
        .lines()
        .flatMap(line -> BatchLine.parse(line).stream())
        .map(BatchLine::report);
  }

  private static long plans(OwnedProcess daemon) {
    return daemon.output().lines().flatMap(line -> PlanLine.parse(line).stream()).count();
  }
}
