package io.onceberg.ingest.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.decode.Decoded;
import io.onceberg.keystore.StoredOrdinals;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One transaction of a table without a key, sent as connectors that fail send it. */
class EqualRowsTest {
  private static final int ROUNDS = 2_000;

  /** A row of the transaction. */
  private record Row(long lsn, String name) {}

  /** A row as it was sent once. */
  private record Sent(Row row, long ordinal) {}

  private final StubTarget target = StubTarget.changelog();
  private final IdentityRule rule = new IdentityRule(target, DedupPolicy.DEFAULT);
  private final int ordinalAt = target.identityType().fieldIndex("ordinal");

  /**
   * Whatever is cut off, sent again and counted anew, each row is there once.
   *
   * @param countsAnew whether a connector that starts in mid-transaction counts from 1
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void eachRowIsThereOnce(boolean countsAnew) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      List<Row> transaction = transaction(random);
      List<Sent> log = send(transaction, countsAnew, random);
      Map<Row, Integer> wanted = new HashMap<>();
      transaction.forEach(row -> wanted.merge(row, 1, Integer::sum));
      assertThat(load(log, random)).as("seed %d round %d: %s", seed, round, log).isEqualTo(wanted);
    }
  }

  private static List<Row> transaction(Random random) {
    List<Row> rows = new ArrayList<>();
    int positions = 1 + random.nextInt(4);
    for (int position = 1; position <= positions; position++) {
      int copied = random.nextBoolean() ? 1 : 1 + random.nextInt(7);
      for (int i = 0; i < copied; i++) {
        rows.add(new Row(10L * position, random.nextInt(3) > 0 ? "a" : "b"));
      }
    }
    return rows;
  }

  /** All of it, at least once; a connector begins again no later than where it was cut off. */
  private static List<Sent> send(List<Row> transaction, boolean countsAnew, Random random) {
    List<Sent> log = new ArrayList<>();
    int until = 0;
    while (until < transaction.size()) {
      int from = beginOfPosition(transaction, random.nextInt(until + 1));
      int end =
          random.nextInt(3) == 0
              ? transaction.size()
              : from + 1 + random.nextInt(transaction.size() - from);
      long before = countsAnew ? from : 0;
      List<Sent> go = new ArrayList<>();
      for (int i = from; i < end; i++) {
        go.add(new Sent(transaction.get(i), i + 1 - before));
        log.add(go.get(go.size() - 1));
        if (random.nextInt(6) == 0) { // the producer got no answer
          log.addAll(go.subList(random.nextInt(go.size()), go.size()));
        }
      }
      until = Math.max(until, end);
    }
    return log;
  }

  private static int beginOfPosition(List<Row> transaction, int row) {
    int begin = row;
    while (begin > 0 && transaction.get(begin - 1).lsn() == transaction.get(begin).lsn()) {
      begin--;
    }
    return begin;
  }

  /** In batches of any size; what has become a row. */
  private Map<Row, Integer> load(List<Sent> log, Random random) {
    target.storedOrdinals().clear();
    Map<Row, Integer> rows = new HashMap<>();
    EqualRanks ranks = new EqualRanks();
    ranks.begin(true);
    int from = 0;
    while (from < log.size()) {
      int until = from + 1 + random.nextInt(log.size() - from);
      PolledBatch polled = polled(log, from, until, ranks);
      EqualRows.Settled settled = EqualRows.settle(polled, 0);
      settled.fresh().forEach(pointer -> store(polled, pointer, log, rows));
      Counts counts = polled.received(0).counts;
      long repeats =
          counts.of(Counts.Outcome.IN_BATCH) + counts.of(Counts.Outcome.CONNECTOR_REPLAY);
      assertThat(settled.unsettled()).isEmpty();
      assertThat(settled.fresh().size() + repeats).isEqualTo(until - from);
      from = until;
    }
    return rows;
  }

  private PolledBatch polled(List<Sent> log, int from, int until, EqualRanks ranks) {
    FrameWriter writer = new FrameWriter(0, false);
    for (int offset = from; offset < until; offset++) {
      Sent sent = log.get(offset);
      Decoded.Change change =
          new Changes()
              .keyless()
              .lsn(sent.row().lsn())
              .ordinal(sent.ordinal())
              .row(1L, sent.row().name());
      Identity identity = (Identity) rule.identify(change, 0, offset);
      int rank = ranks.next(change.origin(), identity);
      writer.change(new Coordinates(0, 0, 0, offset), change, identity, false, rank);
    }
    return PolledBatch.of(
        UniqueBatchTest.batch(target, DedupPolicy.DEFAULT),
        Chunks.collect(UniqueBatchTest.chunks(writer).iterator(), ChunkExchange.NONE));
  }

  private void store(PolledBatch polled, long pointer, List<Sent> log, Map<Row, Integer> rows) {
    Frame frame = polled.chunks().move(new Frame(), pointer);
    UnsafeRow identity = new UnsafeRow(target.identityType().size());
    frame.pointTo(identity, Frame.IDENTITY);
    long ordinal = identity.getLong(ordinalAt);
    assertThat(frame.optional(Frame.HAS_ORDINAL, Frame.ORDINAL)).isEqualTo(ordinal);
    UnsafeRow equal = identity.copy();
    equal.setNullAt(ordinalAt);
    assertThat(
            target
                .storedOrdinals()
                .computeIfAbsent(equal, unused -> new StoredOrdinals())
                .add(ordinal))
        .as("an identity of its own")
        .isTrue();
    rows.merge(log.get((int) frame.offset()).row(), 1, Integer::sum);
  }
}
