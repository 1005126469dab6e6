package io.onceberg.it.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.ingest.source.KafkaRangeReader;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.source.TestTopic.Collected;
import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.SharedStack;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

final class KafkaRangeReaderTest {
  private static final LocalKafka KAFKA = SharedStack.kafka();

  @Test
  void aRangeIsReadWholeAndNothingBeyondIt() {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of())) {
      topic.sendNumbers(0, 0, 1000);

      assertThat(read(topic.range(0, 100, 900)).values).isEqualTo(numbers(100, 900));
      assertThat(read(topic.range(0, 900, 950)).values).isEqualTo(numbers(900, 950));
      assertThat(read(topic.range(0, 0, 1)).values).isEqualTo(numbers(0, 1));
      assertThat(read(topic.range(0, 999, 1000)).values).isEqualTo(numbers(999, 1000));
    }
  }

  @Test
  void aRangeSplitInTwoIsTheSameRecords() throws Exception {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of())) {
      topic.sendNumbers(0, 0, 2000);
      List<Collected> halves = new ArrayList<>();
      List<Thread> tasks = new ArrayList<>();
      for (SourceRange half : List.of(topic.range(0, 0, 1000), topic.range(0, 1000, 2000))) {
        Collected collected = new Collected();
        halves.add(collected);
        tasks.add(new Thread(() -> readInto(half, collected)));
      }
      for (Thread task : tasks) {
        task.start();
      }
      for (Thread task : tasks) {
        task.join();
      }

      List<String> both = new ArrayList<>(halves.get(0).values);
      both.addAll(halves.get(1).values);
      assertThat(both).isEqualTo(numbers(0, 2000));
    }
  }

  @Fault(
      area = Area.KAFKA,
      what = "a producer's transaction is aborted",
      outcome = "its records are never read; those around it are")
  @Test
  void onlyCommittedRecordsAreRead() {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of())) {
      topic.transaction(true, 0, "a", "b"); // 0 1 and a marker at 2
      topic.transaction(false, 0, "x", "y"); // 3 4 and a marker at 5
      topic.transaction(true, 0, "c"); // 6 and a marker at 7

      assertThat(read(topic.range(0, 0, 8)).values).containsExactly("a", "b", "c");
      assertThat(read(topic.range(0, 3, 6)).values).isEmpty();
      assertThat(read(topic.range(0, 7, 8)).values).isEmpty();
      assertThat(read(topic.range(0, 6, 7)).values).containsExactly("c");
    }
  }

  @Test
  void endingAtAMarkerCostsNoWait() {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of())) {
      topic.transaction(true, 0, "a", "b");
      read(topic.range(0, 0, 3));
      topic.transaction(true, 0, "c", "d");
      long start = System.nanoTime();
      assertThat(read(topic.range(0, 3, 6)).values).containsExactly("c", "d");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(400));
    }
  }

  @Fault(
      area = Area.KAFKA,
      what = "log compaction has taken records out of the range",
      outcome = "passed over")
  @Test
  void offsetsThatCompactionTookArePassedOver() {
    Map<String, String> compacted =
        Map.of(
            "cleanup.policy", "compact",
            "segment.ms", "100",
            "min.cleanable.dirty.ratio", "0.01",
            "max.compaction.lag.ms", "1");
    try (LocalKafka own = LocalKafka.builder().set("log.cleaner.backoff.ms", "100").start();
        TestTopic topic = TestTopic.create(own, 1, compacted)) {
      for (int i = 0; i < 300; i++) {
        topic.send(0, "same", "v" + i);
      }
      topic.send(0, "other", "w");
      Awaitility.await()
          .atMost(Duration.ofSeconds(40))
          .until(
              () -> {
                long last = topic.send(0, "roll", "r"); // segments roll on a write
                Collected collected = read(own, topic.range(0, 0, last));
                return collected.values.stream().filter(v -> v.startsWith("v")).count() == 1;
              });

      assertThat(read(own, topic.range(0, 0, 301)).values).containsExactly("v299", "w");
      assertThat(read(own, topic.range(0, 10, 290)).values).isEmpty();
    }
  }

  @Test
  void theRecordBeforeIsShownWhereARangeBeginsWithATombstone() {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of())) {
      topic.send(0, "k", "delete"); // 0
      topic.transaction(true, 0, "tx"); // 1, marker 2
      topic.transactions(40, false, 0, "gone"); // 3 .. 82, nothing of it can be read
      long tombstone = topic.send(0, "k", null);
      topic.send(0, "k", null);
      topic.send(0, "k", "later");

      Collected gap = read(topic.range(0, tombstone, tombstone + 1));
      assertThat(gap.before).containsExactly("tx");
      assertThat(gap.values).containsExactly("null");
      assertThat(read(topic.range(0, tombstone + 1, tombstone + 2)).before).containsExactly("null");
      assertThat(read(topic.range(0, tombstone + 2, tombstone + 3)).before).isEmpty();
      topic.deleteBelow(0, tombstone);
      assertThat(read(topic.range(0, tombstone, tombstone + 1)).before).isEmpty();
    }
  }

  @Fault(
      area = Area.KAFKA,
      what = "records are deleted between plan and read",
      outcome = "OB-204 or OB-205 names them; nothing is jumped over",
      cases = Case.A5)
  @Test
  void deletedOffsetsAreNamedAndNotJumpedOver() {
    try (TestTopic topic = TestTopic.create(KAFKA, 1, Map.of())) {
      topic.sendNumbers(0, 0, 100);
      SourceRange range = topic.range(0, 10, 60);
      topic.deleteBelow(0, 50);

      assertThatThrownBy(() -> read(range))
          .hasMessageStartingWith("OB-204 ")
          .hasMessageContaining(topic.name() + "-0: offsets [10, 50) are missing");
      assertThatThrownBy(() -> read(topic.range(0, 200, 210)))
          .hasMessageStartingWith("OB-205 ")
          .hasMessageContaining("210");
    }
  }

  @Fault(
      area = Area.OUT_OF_REACH,
      what = "the broker does not answer while records are read",
      outcome = "OB-201")
  @Test
  void silenceIsNumbered() {
    SourceRange range = new SourceRange(new SourcePartition("none", 0), "id", 0, 10);
    KafkaRangeReader reader =
        new KafkaRangeReader(
            Map.of("bootstrap.servers", "127.0.0.1:1", "default.api.timeout.ms", "500"),
            Duration.ofMillis(500));
    assertThatThrownBy(() -> reader.read(range, new Collected())).hasMessageStartingWith("OB-201 ");
    assertThatThrownBy(
            () ->
                new KafkaRangeReader(Map.of("bootstrap.servers", "no port"), Duration.ofMillis(500))
                    .read(range, new Collected()))
        .hasMessageStartingWith("OB-102 ");
  }

  private static Collected read(SourceRange range) {
    return read(KAFKA, range);
  }

  private static Collected read(LocalKafka kafka, SourceRange range) {
    Collected collected = new Collected();
    reader(kafka).read(range, collected);
    return collected;
  }

  private static void readInto(SourceRange range, Collected collected) {
    reader(KAFKA).read(range, collected);
  }

  private static KafkaRangeReader reader(LocalKafka kafka) {
    return new KafkaRangeReader(
        Map.of("bootstrap.servers", kafka.bootstrapServers()), Duration.ofSeconds(5));
  }

  private static List<String> numbers(int from, int until) {
    return IntStream.range(from, until).mapToObj(String::valueOf).toList();
  }
}
