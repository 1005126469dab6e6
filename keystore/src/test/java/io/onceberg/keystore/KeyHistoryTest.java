package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.keystore.CommitOutcome.Committed;
import io.onceberg.keystore.RandomKeys.Shape;
import io.onceberg.keystore.keyfile.KeyMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.iceberg.Table;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plays random histories of a target and asks, before every batch, for exactly what a plain map
 * holds: batches of old and new keys, merges, changes of the key's columns, restarts, little
 * memory, snapshots that go, and maintenance by others between batches and in the midst of them.
 * Set {@code onceberg.seed} to play one again.
 */
class KeyHistoryTest {
  private static final Logger LOG = LoggerFactory.getLogger(KeyHistoryTest.class);
  private static final int STEPS = 30;
  private static final int BATCH = 250;
  private static final long SEED = Long.getLong("onceberg.seed", System.nanoTime());

  static Stream<Shape> shapes() {
    return RandomKeys.shapes();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void findsExactlyWhatIsStored(Shape shape) {
    LOG.info("seed {} for {}", SEED, shape);
    try (Warehouse warehouse = Warehouse.open(Lakehouse.settings())) {
      new History(warehouse, shape, new Random(SEED)).play();
    }
  }

  private static final class History {
    private final Warehouse warehouse;
    private final Shape shape;
    private final Random random;
    private final boolean events;
    private final List<Map<String, Object>> pool;
    private final Map<Map<String, Object>, Long> stored = new HashMap<>();
    private final StringBuilder steps = new StringBuilder();
    private Target target;
    private int merges;

    History(Warehouse warehouse, Shape shape, Random random) {
      this.warehouse = warehouse;
      this.shape = shape;
      this.random = random;
      this.events = shape.settings().kind() == TargetKind.EVENTS;
      if (shape.version() == 1) {
        OldTables.createKeys(shape.settings());
      }
      this.target = warehouse.target(settings());
      target.evolve(List.of(shape.first()));
      this.pool = RandomKeys.pool(random, tables(), shape.settings(), 6 * BATCH);
    }

    /** With all the memory there is, with some, with none. */
    private TargetSettings settings() {
      TargetSettings all = shape.settings();
      long memory = new long[] {0, 40_000, 1}[random.nextInt(3)];
      return new TargetSettings(
          all.name(),
          all.kind(),
          all.eventKey(),
          all.partitionBy(),
          all.sourceEpoch(),
          all.newColumns(),
          all.tableProperties(),
          new KeySettings(memory, 4),
          new SnapshotSettings(5, 0));
    }

    /** The tables as someone else has them now. */
    private TargetTables tables() {
      TargetName name = shape.settings().name();
      return new TargetTables(
          name,
          Lakehouse.CATALOG.loadTable(name.rows()),
          Lakehouse.CATALOG.loadTable(name.keys()),
          Lakehouse.CATALOG.loadTable(name.quarantine()));
    }

    void play() {
      for (int step = 0; step < STEPS; step++) {
        if (step == STEPS / 2) {
          target.evolve(List.of(shape.later()));
          steps.append(" evolve");
        }
        switch (random.nextInt(10)) {
          case 0 -> restart();
          case 1 -> maintain();
          default -> batch();
        }
      }
      while (merges == 0) {
        batch();
      }
      batch();
      assertThat(tables().keys().snapshots()).hasSizeLessThan(34);
      assertThat(stored).hasSizeGreaterThan(BATCH);
    }

    private void restart() {
      KeyMemory.forgetAll();
      target = warehouse.target(settings());
      steps.append(" restart");
    }

    /** Something that changes no key. */
    private void maintain() {
      steps.append(' ');
      TargetTables now = tables();
      if (now.keys().currentSnapshot() == null) {
        return;
      }
      switch (random.nextInt(4)) {
        case 0 -> {
          now.keys().rewriteManifests().clusterBy(file -> random.nextInt(2)).commit();
          steps.append("manifests");
        }
        case 1 -> {
          for (Table table : List.of(now.keys(), now.rows())) {
            table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
          }
          steps.append("expire");
        }
        default -> steps.append(ForeignFiles.rewrite(now, random));
      }
    }

    private void batch() {
      TaskTarget pinned = target.pin();
      int size = random.nextInt(4) == 0 ? 1 + random.nextInt(5) : BATCH;
      List<Map<String, Object>> drawn = RandomKeys.draw(random, pool, size);
      Function<Row, UnsafeRow> unsafe = Lakehouse.unsafeRows(pinned.identityType());
      List<UnsafeRow> identities =
          drawn.stream().map(v -> unsafe.apply(RandomKeys.row(v, pinned.identityType()))).toList();
      steps.append(" batch");
      KeyHits hits = pinned.lookup().find(identities);
      for (int i = 0; i < drawn.size(); i++) {
        assertThat(hits.stored().get(i))
            .as("seed %d after%s identity %s", SEED, steps, drawn.get(i))
            .isEqualTo(stored.containsKey(drawn.get(i)));
        if (events && hits.stored().get(i)) {
          assertThat(hits.payloadHashes()[i]).isEqualTo(stored.get(drawn.get(i)));
        }
      }
      StagedFiles files = write(pinned, drawn, identities, hits);
      if (random.nextInt(3) == 0) {
        maintain();
      }
      Lake.Batch batch = Lake.batch(target.ledger(), size);
      assertThat(target.commit(batch.id(), batch.after(), files))
          .as("seed %d after%s", SEED, steps)
          .isInstanceOf(Committed.class);
    }

    /** Writes what was not found, in two tasks. */
    private StagedFiles write(
        TaskTarget pinned,
        List<Map<String, Object>> drawn,
        List<UnsafeRow> identities,
        KeyHits hits) {
      StagedFiles files = StagedFiles.NONE;
      int day = Lakehouse.TODAY + random.nextInt(2);
      for (int task = 0; task < 2; task++) {
        List<UnsafeRow> novel = new ArrayList<>();
        LongStream.Builder payloads = LongStream.builder();
        for (int i = task; i < drawn.size(); i += 2) {
          if (!hits.stored().get(i)) {
            long payload = drawn.get(i).hashCode() * 31L;
            novel.add(identities.get(i));
            payloads.add(payload);
            stored.put(drawn.get(i), payload);
          }
        }
        TargetWriter writer = pinned.writer(day, task, task);
        writer.writeKeys(novel, events ? payloads.build().toArray() : new long[0]);
        files = files.plus(writer.finish());
      }
      merges += files.merge().replaced().isEmpty() ? 0 : 1;
      steps.append(files.merge().replaced().isEmpty() ? "" : " merge");
      return files;
    }
  }
}
