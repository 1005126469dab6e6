package io.onceberg.ingest.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.decode.DecodeSettings;
import io.onceberg.ingest.decode.Op;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

class UniqueBatchTest {
  private static final int TOPIC = 0;
  private static final IdentityRule RULE =
      new IdentityRule(StubTarget.changelog(), DedupPolicy.DEFAULT);

  @Test
  void theCopyWithTheLowestOffsetStaysWhateverTheOrderOfArrival() {
    FrameWriter first = new FrameWriter(0, false);
    FrameWriter second = new FrameWriter(1, false);
    StubTarget target = StubTarget.changelog();
    write(first, new Changes().lsn(1L), 1L, 10);
    write(first, new Changes().lsn(2L), 2L, 11);
    write(second, new Changes().lsn(1L), 1L, 500);
    write(second, new Changes().lsn(3L), 3L, 501);
    List<Tuple2<Integer, byte[]>> chunks = chunks(first, second);
    for (int round = 0; round < 2; round++) {
      assertThat(offsets(unique(target, DedupPolicy.DEFAULT, chunks)))
          .containsExactly(10L, 11L, 501L);
      Collections.reverse(chunks);
    }
  }

  @Test
  void repeatsAreCounted() {
    FrameWriter writer = new FrameWriter(0, false);
    StubTarget target = StubTarget.changelog();
    for (int i = 0; i < 3; i++) {
      write(writer, new Changes().lsn(1L), 1L, i);
    }
    UniqueBatch batch = unique(target, DedupPolicy.DEFAULT, chunks(writer));
    assertThat(batch.polled().received(0).counts.of(Counts.Outcome.IN_BATCH)).isEqualTo(2);
  }

  @Test
  void anEventKeyWithAnotherPayloadIsAConflictNotARepeat() {
    FrameWriter writer = new FrameWriter(0, false);
    StubTarget target = StubTarget.events("id");
    IdentityRule rule = new IdentityRule(target, DedupPolicy.DEFAULT);
    String[] names = {"a", "a", "b"};
    for (int i = 0; i < names.length; i++) {
      var change = new Changes().row(1L, names[i]);
      writer.change(at(i), change, (Identity) rule.identify(change, 0, i));
    }
    UniqueBatch batch = unique(target, DedupPolicy.DEFAULT, chunks(writer));
    assertThat(batch.target(0).changes.size()).isEqualTo(1);
    assertThat(batch.target(0).conflicts.size()).isEqualTo(1);
    assertThat(batch.polled().received(0).counts.of(Counts.Outcome.IN_BATCH)).isEqualTo(1);
  }

  @Test
  void equalSnapshotRowsWithoutAKeyStopTheTargetUntilThePolicyIsChosen() {
    FrameWriter writer = new FrameWriter(0, false);
    StubTarget target = StubTarget.changelog();
    write(writer, new Changes().op(Op.READ).keyless(), 1L, 1);
    write(writer, new Changes().op(Op.READ).keyless(), 1L, 2);
    UniqueBatch batch = unique(target, DedupPolicy.DEFAULT, chunks(writer));
    assertThat(batch.polled().received(0).writable()).isFalse();
  }

  @Test
  void manyRandomRepeatsLeaveEachIdentityOnce() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    StubTarget target = StubTarget.changelog();
    List<FrameWriter> writers = new ArrayList<>();
    Set<Long> distinct = new HashSet<>();
    for (int task = 0; task < 3; task++) {
      FrameWriter writer = new FrameWriter(task, false);
      for (int i = 0; i < 5_000; i++) {
        long lsn = random.nextInt(4_000);
        distinct.add(lsn);
        write(writer, new Changes().lsn(lsn), 1L, 10_000L * task + i);
      }
      writers.add(writer);
    }
    UniqueBatch batch =
        unique(target, DedupPolicy.DEFAULT, chunks(writers.toArray(FrameWriter[]::new)));
    assertThat(batch.target(0).changes.size()).as("seed %d", seed).isEqualTo(distinct.size());
  }

  private static void write(FrameWriter writer, Changes changes, long id, long offset) {
    var change = changes.row(id, "a");
    writer.change(at(offset), change, (Identity) RULE.identify(change, 0, offset));
  }

  private static Coordinates at(long offset) {
    return new Coordinates(0, TOPIC, 0, offset);
  }

  /** All that was written, as a writing task receives it. */
  static List<Tuple2<Integer, byte[]>> chunks(FrameWriter... writers) {
    List<Tuple2<Integer, byte[]>> chunks = new ArrayList<>();
    for (FrameWriter writer : writers) {
      writer.flush();
      for (byte[] chunk = writer.pollFull(); chunk != null; chunk = writer.pollFull()) {
        chunks.add(new Tuple2<>(0, chunk));
      }
    }
    return chunks;
  }

  private static UniqueBatch unique(
      StubTarget target, DedupPolicy policy, List<Tuple2<Integer, byte[]>> chunks) {
    return UniqueBatch.of(
        PolledBatch.of(
            batch(target, policy), Chunks.collect(chunks.iterator(), ChunkExchange.NONE)));
  }

  /** A batch of one target and topic. */
  static BatchSpec batch(StubTarget target, DedupPolicy policy) {
    DecodeSettings decode =
        new DecodeSettings(
            TargetKind.CHANGELOG,
            NewColumns.APPEND,
            DecodeSettings.Incompatible.QUARANTINE,
            true,
            "",
            Map.of(),
            Map.of());
    return new BatchSpec(
        List.of(new TargetSpec(target, decode, policy, 0, 1)),
        List.of("orders"),
        List.of("id"),
        Map.of(),
        Duration.ofSeconds(1),
        0,
        1,
        Long.MAX_VALUE,
        false,
        ChunkExchange.NONE);
  }

  private static List<Long> offsets(UniqueBatch batch) {
    List<Long> offsets = new ArrayList<>();
    Frame frame = new Frame();
    for (int i = 0; i < batch.target(0).changes.size(); i++) {
      offsets.add(batch.polled().chunks().move(frame, batch.target(0).changes.at(i)).offset());
    }
    return offsets;
  }
}
