package io.onceberg.it.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.source.BatchPlanner;
import io.onceberg.ingest.source.SourcePlan;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.SharedStack;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceProgress;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.TargetName;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

final class BatchPlannerTest {
  private static final LocalKafka KAFKA = SharedStack.kafka();

  private final Map<TargetName, Ledger> ledgers = new HashMap<>();
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);

  @Test
  void allThatIsNotInTheLedgerIsPlanned() {
    try (TestTopic topic = TestTopic.create(KAFKA, 2, Map.of());
        BatchPlanner planner = planner("topics", topic.name())) {
      assertThat(planner.plan(Set.of())).isEqualTo(SourcePlan.NOTHING);

      topic.sendNumbers(0, 0, 10);
      topic.sendNumbers(1, 0, 5);
      assertThat(ranges(planner, topic))
          .containsExactly(topic.range(0, 0, 10), topic.range(1, 0, 5));

      stand(topic, topic.id(), Map.of(0, 10L, 1, 3L));
      assertThat(ranges(planner, topic)).containsExactly(topic.range(1, 3, 5));

      stand(topic, topic.id(), Map.of(0, 10L, 1, 5L));
      assertThat(planner.plan(Set.of())).isEqualTo(SourcePlan.NOTHING);
      assertThat(planner.plan(Set.of(target(topic)))).isEqualTo(SourcePlan.NOTHING);
    }
  }

  @Fault(
      area = Area.KAFKA,
      what = "a producer's transaction is open",
      outcome = "not read into until it ends")
  @Test
  void aTransactionThatIsOpenIsNotReadInto() throws Exception {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of());
        BatchPlanner planner = planner("topics", topic.name())) {
      topic.transaction(true, 0, "a", "b");
      AutoCloseable open = topic.openTransaction(0, "c");
      topic.send(0, "", "after");
      assertThat(ranges(planner, topic)).containsExactly(topic.range(0, 0, 3));
      open.close(); // which aborts it
      Awaitility.await()
          .untilAsserted(
              () -> assertThat(ranges(planner, topic)).containsExactly(topic.range(0, 0, 6)));
    }
  }

  @Fault(
      area = Area.KAFKA,
      what = "a topic is made again with the same number of records",
      outcome = "OB-203: told by its id",
      cases = Case.A4)
  @Test
  void a4TopicCreatedAgainIsToldByItsId() {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of());
        BatchPlanner planner = planner("topics", topic.name())) {
      String old = topic.id();
      stand(topic, old, Map.of(0, 100L));
      topic.recreate(1);
      topic.sendNumbers(0, 0, 5);

      SourcePlan plan = planner.plan(Set.of());
      assertThat(plan.ranges()).isEmpty();
      assertThat(plan.refused()).containsOnlyKeys(target(topic));
      assertThat(refusal(plan, topic).code()).isEqualTo(ErrorCode.TOPIC_RECREATED);
      assertThat(refusal(plan, topic)).hasMessageContainingAll(old, topic.id(), "offset 100");

      topic.sendNumbers(0, 5, 200); // even where the old offset lies within the new log
      assertThat(refusal(planner.plan(Set.of()), topic).code())
          .isEqualTo(ErrorCode.TOPIC_RECREATED);
    }
  }

  @Fault(
      area = Area.KAFKA,
      what = "retention passes the ledger before a batch is planned",
      outcome = "OB-204 names the range",
      cases = Case.A5)
  @Test
  void a5RetentionThatPassedTheLedgerNamesTheRange() {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of());
        TestTopic other = TestTopic.create(KAFKA, 1, Map.of());
        BatchPlanner planner = planner("topics", topic.name() + "," + other.name())) {
      topic.sendNumbers(0, 0, 100);
      other.sendNumbers(0, 0, 3);
      stand(topic, topic.id(), Map.of(0, 10L));
      topic.deleteBelow(0, 10);
      assertThat(ranges(planner, topic)).containsExactly(topic.range(0, 10, 100));

      topic.deleteBelow(0, 40);
      SourcePlan plan = planner.plan(Set.of());
      assertThat(refusal(plan, topic).code()).isEqualTo(ErrorCode.OFFSET_BELOW_RETENTION);
      assertThat(refusal(plan, topic)).hasMessageContaining("[10, 40)");
      assertThat(plan.ranges().get(target(other))).containsExactly(other.range(0, 0, 3));
    }
  }

  @Fault(
      area = Area.KAFKA,
      what = "the log ends before the next offset (a broker that lost data)",
      outcome = "OB-205, the target stops")
  @Test
  void aLogThatEndsBeforeTheLedgerIsRefused() {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of());
        BatchPlanner planner = planner("topics", topic.name())) {
      topic.sendNumbers(0, 0, 5);
      stand(topic, topic.id(), Map.of(0, 6L));
      assertThat(refusal(planner.plan(Set.of()), topic).code())
          .isEqualTo(ErrorCode.OFFSET_BEYOND_END);
    }
  }

  @Fault(
      area = Area.KAFKA,
      what = "partitions are added",
      outcome = "read from their beginning",
      cases = Case.A11)
  @Test
  void a11NewPartitionsAreReadFromTheirBeginning() {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of());
        BatchPlanner planner = planner("topics", topic.name())) {
      topic.sendNumbers(0, 0, 5);
      stand(topic, topic.id(), Map.of(0, 5L));
      topic.growTo(3);
      topic.sendNumbers(2, 0, 7);
      Awaitility.await()
          .untilAsserted(
              () -> assertThat(ranges(planner, topic)).containsExactly(topic.range(2, 0, 7)));
    }
  }

  @Fault(
      area = Area.KAFKA,
      what = "the beginning of a topic is gone before its first batch",
      outcome = "read from what is left, or OB-204, by start.offsets")
  @Test
  void aTopicWhoseBeginningIsGoneIsReadOrRefusedBySetting() {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of());
        BatchPlanner planner = planner("topics", topic.name());
        BatchPlanner strict = planner("topics", topic.name(), "topics.start", "fail")) {
      topic.sendNumbers(0, 0, 20);
      assertThat(ranges(strict, topic)).containsExactly(topic.range(0, 0, 20));
      topic.deleteBelow(0, 8);
      assertThat(ranges(planner, topic)).containsExactly(topic.range(0, 8, 20));
      assertThat(refusal(strict.plan(Set.of()), topic)).hasMessageContaining("[0, 8)");
    }
  }

  @Fault(
      area = Area.KAFKA,
      what = "a topic is missing",
      outcome = "OB-202: at the start the daemon stops, later its target")
  @Test
  void aMissingTopicStopsTheStartAndLaterOnlyItsTarget() {
    try (BatchPlanner planner = planner("topics", "there_is_none")) {
      assertThatThrownBy(() -> planner.plan(Set.of()))
          .hasMessageStartingWith("OB-202 ")
          .hasMessageContaining("there_is_none");
    }
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of());
        BatchPlanner planner = planner("topics", topic.name())) {
      planner.plan(Set.of());
      topic.delete();
      Awaitility.await()
          .untilAsserted(
              () ->
                  assertThat(planner.plan(Set.of()).refused().get(target(topic)))
                      .hasMessageStartingWith("OB-202 "));
    }
  }

  @Test
  void topicsThatMatchLaterAreTakenUp() {
    String prefix = SharedStack.uniqueName("later");
    try (BatchPlanner planner = planner("topics.regex", prefix + "\\..*")) {
      assertThat(planner.plan(Set.of())).isEqualTo(SourcePlan.NOTHING);
      assertThat(planner.targets()).isEmpty();
      try (TestTopic topic = TestTopic.create(KAFKA, prefix + ".a", 1, Map.of())) {
        topic.sendNumbers(0, 0, 4);
        Awaitility.await()
            .untilAsserted(
                () -> {
                  now.updateAndGet(instant -> instant.plusSeconds(60));
                  assertThat(planner.plan(Set.of()).ranges())
                      .isEqualTo(Map.of(new TargetName("cdc", "a"), List.of(topic.range(0, 0, 4))));
                });
      }
    }
  }

  @Test
  void aBatchIsBoundedByRowsAndSharedFairly() {
    try (TestTopic big = TestTopic.create(KAFKA, 2, Map.of());
        TestTopic large = TestTopic.create(KAFKA, 1, Map.of());
        TestTopic small = TestTopic.create(KAFKA, 1, Map.of());
        BatchPlanner planner =
            planner(
                "topics",
                String.join(",", big.name(), large.name(), small.name()),
                "batch.max.rows",
                "1000")) {
      big.sendNumbers(0, 0, 5000);
      big.sendNumbers(1, 0, 100);
      large.sendNumbers(0, 0, 5000);
      small.sendNumbers(0, 0, 200);

      SourcePlan plan = planner.plan(Set.of());
      assertThat(plan.full()).isTrue();
      assertThat(plan.pending()).isEqualTo(10_300);
      assertThat(plan.ranges().get(target(small))).containsExactly(small.range(0, 0, 200));
      assertThat(plan.ranges().get(target(large))).containsExactly(large.range(0, 0, 400));
      assertThat(plan.ranges().get(target(big)))
          .containsExactly(big.range(0, 0, 300), big.range(1, 0, 100));
    }
  }

  @Test
  void aBatchIsBoundedByBytes() {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of());
        BatchPlanner planner = planner("topics", topic.name(), "batch.max.bytes", "100000")) {
      String kilobyte = "x".repeat(1000);
      for (int i = 0; i < 300; i++) {
        topic.send(0, "", kilobyte);
      }
      SourcePlan plan = planner.plan(Set.of());
      assertThat(plan.full()).isTrue();
      assertThat(plan.size()).isEqualTo(100);
    }
  }

  @Fault(
      area = Area.OUT_OF_REACH,
      what = "the broker does not answer while a batch is planned",
      outcome = "OB-201; the wait can be cut short")
  @Test
  void silenceIsNumberedAndCanBeCutShort() {
    String[] nowhere = {
      "topics", "t", "kafka.bootstrap.servers", "127.0.0.1:1", "source.poll.timeout.ms", "1000"
    };
    try (BatchPlanner planner = planner(nowhere)) {
      assertThatThrownBy(() -> planner.plan(Set.of()))
          .hasMessageStartingWith("OB-201 ")
          .hasMessageContaining("127.0.0.1:1");
    }
    try (BatchPlanner planner =
        new BatchPlanner(config(nowhere), this::ledger, now::get, () -> true)) {
      assertThatThrownBy(() -> planner.plan(Set.of())).isInstanceOf(CancellationException.class);
    }
    assertThatThrownBy(() -> planner("topics", "t", "kafka.bootstrap.servers", "no port"))
        .hasMessageStartingWith("OB-102 ");
  }

  @Test
  void progressShowsAsGroupOffsets() throws Exception {
    String group = SharedStack.uniqueName("group");
    try (TestTopic topic = TestTopic.create(KAFKA, 2, Map.of());
        Admin admin = KAFKA.admin();
        BatchPlanner planner = planner("topics", topic.name(), "kafka.group.id", group)) {
      topic.sendNumbers(0, 0, 10);
      stand(topic, topic.id(), Map.of(0, 7L, 1, 0L));
      planner.groupOffsets().show(ledger(target(topic)));
      Awaitility.await()
          .untilAsserted(
              () ->
                  assertThat(offsets(admin, group))
                      .isEqualTo(
                          Map.of(
                              new TopicPartition(topic.name(), 0), new OffsetAndMetadata(7),
                              new TopicPartition(topic.name(), 1), new OffsetAndMetadata(0))));
    }
  }

  private static Map<TopicPartition, OffsetAndMetadata> offsets(Admin admin, String group)
      throws InterruptedException, ExecutionException {
    return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
  }

  private List<SourceRange> ranges(BatchPlanner planner, TestTopic topic) {
    SourcePlan plan = planner.plan(Set.of());
    assertThat(plan.refused()).isEmpty();
    return plan.ranges().getOrDefault(target(topic), List.of());
  }

  private static OncebergException refusal(SourcePlan plan, TestTopic topic) {
    OncebergException refusal = plan.refused().get(target(topic));
    assertThat(refusal).isNotNull();
    return Objects.requireNonNull(refusal);
  }

  private void stand(TestTopic topic, String id, Map<Integer, Long> offsets) {
    TreeMap<SourcePartition, SourceProgress> progress = new TreeMap<>();
    offsets.forEach(
        (partition, offset) ->
            progress.put(topic.partition(partition), new SourceProgress(id, offset)));
    ledgers.put(target(topic), new Ledger(null, 0, progress));
  }

  private Ledger ledger(TargetName target) {
    return ledgers.getOrDefault(target, Ledger.empty(0));
  }

  private static TargetName target(TestTopic topic) {
    return new TargetName("cdc", topic.name());
  }

  private BatchPlanner planner(String... settings) {
    return new BatchPlanner(config(settings), this::ledger, now::get, () -> false);
  }

  private static DaemonConfig config(String... settings) {
    Map<String, String> all = new HashMap<>();
    all.put("kafka.bootstrap.servers", KAFKA.bootstrapServers());
    for (int i = 0; i < settings.length; i += 2) {
      all.put(settings[i], settings[i + 1]);
    }
    return DaemonConfig.of(all);
  }
}
