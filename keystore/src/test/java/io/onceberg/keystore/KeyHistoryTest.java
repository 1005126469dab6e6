package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.keystore.RandomKeys.Shape;
import io.onceberg.keystore.keyfile.KeyMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plays random histories of a keys table and asks, before every batch, for exactly what a plain map
 * holds: batches of old and new keys, changes of the key's columns, restarts, little memory, and
 * files rewritten by someone else. Set {@code onceberg.seed} to play one again.
 */
class KeyHistoryTest {
  private static final Logger LOG = LoggerFactory.getLogger(KeyHistoryTest.class);
  private static final int STEPS = 14;
  private static final int BATCH = 400;
  private static final long SEED = Long.getLong("onceberg.seed", System.nanoTime());

  static Stream<Shape> shapes() {
    return RandomKeys.shapes();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void findsExactlyWhatIsStored(Shape shape) {
    LOG.info("seed {} for {}", SEED, shape);
    new History(shape, new Random(SEED)).play();
  }

  private static final class History {
    private final Shape shape;
    private final Random random;
    private final boolean events;
    private final TableSchemas schemas;
    private final TargetTables tables;
    private final List<Map<String, Object>> pool;
    private final Map<Map<String, Object>, Long> stored = new HashMap<>();
    private int merges;
    private final StringBuilder steps = new StringBuilder();

    History(Shape shape, Random random) {
      this.shape = shape;
      this.random = random;
      this.events = shape.settings().kind() == TargetKind.EVENTS;
      this.schemas = new TableSchemas(Lakehouse.CATALOG, settings());
      this.tables = shape.create(schemas);
      this.pool = RandomKeys.pool(random, tables, shape.settings(), 4 * BATCH);
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
          new KeySettings(memory, 4));
    }

    void play() {
      for (int step = 0; step < STEPS; step++) {
        if (step == STEPS / 2) {
          schemas.evolve(tables, List.of(shape.later()));
          steps.append(" evolve");
        }
        switch (random.nextInt(8)) {
          case 0 -> KeyMemory.forgetAll();
          case 1, 2 -> steps.append(' ').append(ForeignFiles.rewrite(tables, random));
          default -> batch();
        }
      }
      while (merges == 0) {
        batch();
      }
      batch();
      assertThat(stored).hasSizeGreaterThan(BATCH);
    }

    private void batch() {
      TaskTarget target = schemas.pin(tables);
      int size = random.nextInt(4) == 0 ? 1 + random.nextInt(5) : BATCH;
      List<Map<String, Object>> drawn = RandomKeys.draw(random, pool, size);
      List<UnsafeRow> identities =
          drawn.stream()
              .map(
                  v ->
                      Lakehouse.unsafe(
                          target.identityType(), RandomKeys.row(v, target.identityType())))
              .toList();
      steps.append(" batch");
      KeyHits hits = target.lookup().find(identities);
      for (int i = 0; i < drawn.size(); i++) {
        assertThat(hits.stored().get(i))
            .as("seed %d after%s identity %s", SEED, steps, drawn.get(i))
            .isEqualTo(stored.containsKey(drawn.get(i)));
        if (events && hits.stored().get(i)) {
          assertThat(hits.payloadHashes()[i]).isEqualTo(stored.get(drawn.get(i)));
        }
      }
      store(target, drawn, identities, hits);
    }

    /** Stores what was not found, in two tasks. */
    private void store(
        TaskTarget target,
        List<Map<String, Object>> drawn,
        List<UnsafeRow> identities,
        KeyHits hits) {
      StagedFiles files = StagedFiles.NONE;
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
        TargetWriter writer = target.writer(Lakehouse.TODAY + random.nextInt(2), task, task);
        writer.writeKeys(novel, events ? payloads.build().toArray() : new long[0]);
        files = files.plus(writer.finish());
      }
      Lakehouse.append(tables, files);
      merges += files.merge().replaced().isEmpty() ? 0 : 1;
      steps.append(files.merge().replaced().isEmpty() ? "" : " merge");
    }
  }
}
