package io.onceberg.ingest.dedup;

import io.onceberg.keystore.StoredOrdinals;
import io.onceberg.keystore.TaskTarget;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Tells new rows of a table without a key from those that have come again. Position and contents
 * say which row it is, but for truly equal rows of one position: a COPY may have some.
 *
 * <p>Where the topic has one partition, the place among equal rows says which of them it is ({@link
 * EqualRanks}): it has come again when more than so many are stored. With several partitions the
 * ordinal has to say so, which Debezium may count anew. The same ordinal is the same row, and one
 * beyond all that are stored is another. One below them may be either: it is left for quarantine,
 * and so is one whose equals were torn apart.
 */
final class EqualRows {
  private static final int NONE = -1;

  /** One change of a group of equal ones. */
  private record Item(long pointer, int topic, int partition, int rank, long ordinal, long madeAt) {
    /** The order they were sent in, as far as that is known. */
    static final Comparator<Item> BY_TIME =
        Comparator.comparingLong(Item::madeAt).thenComparingLong(Item::ordinal);

    static Item of(Frame frame, long pointer) {
      Long madeAt = frame.optional(Frame.HAS_TS, Frame.TS);
      return new Item(
          pointer,
          frame.topic(),
          frame.partition(),
          frame.rank(),
          Objects.requireNonNull(frame.optional(Frame.HAS_ORDINAL, Frame.ORDINAL)),
          madeAt == null ? 0 : madeAt);
    }

    boolean isBeside(Item other) {
      return topic == other.topic && partition == other.partition;
    }
  }

  private final PolledBatch polled;
  private final int target;
  private final TaskTarget tables;
  private final PolledBatch.Received received;
  private final int ordinalAt;
  private final int[] nextEqual;
  private final Pointers heads = new Pointers();
  private final Frame frame = new Frame();
  private final UnsafeRow identity;
  private final List<Long> fresh = new ArrayList<>();
  private final List<Long> unsettled = new ArrayList<>();

  private EqualRows(PolledBatch polled, int target) {
    this.polled = polled;
    this.target = target;
    this.tables = polled.batch().targets().get(target).tables();
    this.received = polled.received(target);
    this.ordinalAt = tables.identityType().fieldIndex(IdentityRule.ORDINAL_COLUMN);
    this.identity = new UnsafeRow(tables.identityType().size());
    this.nextEqual = new int[received.keyless.size()];
  }

  /** Settles what was received. Frames of rows that are new are given their whole identity. */
  static Settled settle(PolledBatch polled, int target) {
    if (polled.received(target).keyless.size() == 0) {
      return new Settled(List.of(), List.of());
    }
    EqualRows rows = new EqualRows(polled, target);
    rows.group();
    rows.settle();
    return new Settled(rows.fresh, rows.unsettled);
  }

  /**
   * What became of the changes that are no replays, in the order of topic, partition and offset.
   *
   * @param fresh pointers to those that no table holds yet
   * @param unsettled pointers to those of which that cannot be told
   */
  record Settled(List<Long> fresh, List<Long> unsettled) {
    Settled {
      fresh = fresh.stream().sorted().toList();
      unsettled = unsettled.stream().sorted().toList();
    }
  }

  /** Links each change with the next one that is equal. */
  private void group() {
    IdentityTable seen =
        new IdentityTable(polled.chunks(), received.keyless, received.keylessHashes);
    int[] last = new int[nextEqual.length];
    Arrays.fill(nextEqual, NONE);
    for (int i = 0; i < nextEqual.length; i++) {
      int first = seen.take(i);
      if (first == i) {
        heads.add(i);
      } else {
        nextEqual[last[first]] = i;
      }
      last[first] = i;
    }
  }

  private void settle() {
    List<UnsafeRow> identities = new ArrayList<>(heads.size());
    Pointers firsts = new Pointers();
    for (int i = 0; i < heads.size(); i++) {
      long pointer = received.keyless.at((int) heads.at(i));
      UnsafeRow row = new UnsafeRow(tables.identityType().size());
      polled.chunks().move(frame, pointer).pointTo(row, Frame.IDENTITY);
      identities.add(row);
      firsts.add(pointer);
    }
    List<StoredOrdinals> stored = tables.lookup().ordinals(identities);
    BeyondHorizon.addOrdinals(polled, target, identities, firsts, stored);
    for (int i = 0; i < heads.size(); i++) {
      settle(items((int) heads.at(i)), stored.get(i));
    }
  }

  private List<Item> items(int head) {
    List<Item> items = new ArrayList<>(1);
    boolean besides = true;
    for (int i = head; i != NONE; i = nextEqual[i]) {
      long pointer = received.keyless.at(i);
      items.add(Item.of(polled.chunks().move(frame, pointer), pointer));
      besides &= items.get(items.size() - 1).isBeside(items.get(0));
    }
    if (!besides) {
      items.sort(Item.BY_TIME);
    }
    return items;
  }

  private void settle(List<Item> items, StoredOrdinals known) {
    Set<Long> met = new HashSet<>();
    for (Item item : items) {
      boolean ranked = item.rank() >= 0;
      long ofRank = -1L - item.rank();
      boolean again = !met.add(ranked ? ofRank : item.ordinal());
      if (ranked ? item.rank() < known.size() : known.contains(item.ordinal())) {
        received.counts.add(again ? Counts.Outcome.IN_BATCH : Counts.Outcome.CONNECTOR_REPLAY);
      } else if (ranked || isNew(item, known)) {
        long ordinal = known.contains(item.ordinal()) ? ofRank : item.ordinal();
        known.add(ordinal);
        take(item, ordinal, fresh);
      } else {
        take(item, item.ordinal(), unsettled);
      }
    }
  }

  private static boolean isNew(Item item, StoredOrdinals known) {
    return item.rank() == EqualRanks.TORN ? known.size() == 0 : known.isBelow(item.ordinal());
  }

  private void take(Item item, long ordinal, List<Long> where) {
    polled.chunks().move(frame, item.pointer()).setOrdinal(identity, ordinalAt, ordinal);
    where.add(item.pointer());
  }
}
