package io.onceberg.ingest.dedup;

import io.onceberg.keystore.StoredOrdinals;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;

/**
 * Tells new rows of a table without a key from those that have come again. Position and contents
 * say which row it is, but for truly equal rows of one position: a COPY may have some.
 *
 * <p>Where the topic has one partition, the place among equal rows says which of them it is ({@link
 * EqualRanks}): it has come again when so many are stored. With several partitions the ordinal has
 * to say so, which Debezium may count anew. The same ordinal is the same row, and one beyond all
 * that are stored is another. One below them may be either: it is left for quarantine, and so is
 * one whose equals were torn apart ({@link EqualRanks#TORN}).
 */
final class EqualRows {
  /** One change of a group of equal ones. */
  private record Item(long pointer, int rank, long ordinal, long madeAt) {
    /** In the order they were sent in, as far as it is known. */
    static final Comparator<Item> BY_TIME =
        Comparator.comparingLong(Item::madeAt).thenComparingLong(Item::ordinal);
  }

  private final PolledBatch polled;
  private final int target;
  private final PolledBatch.Received received;
  private final Map<UnsafeRow, List<Item>> groups = new LinkedHashMap<>();
  private final List<Long> fresh = new ArrayList<>();
  private final List<Long> unsettled = new ArrayList<>();

  private EqualRows(PolledBatch polled, int target) {
    this.polled = polled;
    this.target = target;
    this.received = polled.received(target);
  }

  /** Settles what was received; in the order in which it was. */
  static EqualRows settle(PolledBatch polled, int target) {
    EqualRows rows = new EqualRows(polled, target);
    if (rows.received.toldByOrdinal.size() > 0) {
      rows.collect();
      rows.settle();
    }
    return rows;
  }

  private void collect() {
    StructType type = polled.batch().targets().get(target).tables().identityType();
    UnsafeRow identity = new UnsafeRow(type.size());
    int ordinalAt = type.fieldIndex(IdentityRule.ORDINAL_COLUMN);
    Frame frame = new Frame();
    for (int i = 0; i < received.toldByOrdinal.size(); i++) {
      long pointer = received.toldByOrdinal.at(i);
      polled.chunks().move(frame, pointer).pointTo(identity, Frame.IDENTITY);
      UnsafeRow equal = identity.copy();
      equal.setNullAt(ordinalAt);
      Long madeAt = frame.optional(Frame.HAS_TS, Frame.TS);
      groups
          .computeIfAbsent(equal, unused -> new ArrayList<>(1))
          .add(
              new Item(
                  pointer,
                  frame.rank(),
                  Objects.requireNonNull(frame.optional(Frame.HAS_ORDINAL, Frame.ORDINAL)),
                  madeAt == null ? 0 : madeAt));
    }
  }

  private void settle() {
    List<UnsafeRow> identities = List.copyOf(groups.keySet());
    List<StoredOrdinals> stored =
        polled.batch().targets().get(target).tables().lookup().ordinals(identities);
    BeyondHorizon.addOrdinals(polled, target, identities, firstOfEach(), stored);
    int group = 0;
    for (List<Item> items : groups.values()) {
      settle(items, stored.get(group++));
    }
    fresh.sort(Comparator.naturalOrder());
    unsettled.sort(Comparator.naturalOrder());
  }

  private Pointers firstOfEach() {
    Pointers firsts = new Pointers();
    groups.values().forEach(items -> firsts.add(items.get(0).pointer()));
    return firsts;
  }

  private void settle(List<Item> items, StoredOrdinals known) {
    int before = known.size();
    List<Item> unranked = new ArrayList<>(0);
    for (Item item : items) {
      if (item.rank() == EqualRanks.UNKNOWN) {
        unranked.add(item);
      } else if (item.rank() == EqualRanks.TORN) {
        settleTorn(item, known);
      } else if (item.rank() < known.size()) {
        received.counts.add(
            item.rank() < before ? Counts.Outcome.CONNECTOR_REPLAY : Counts.Outcome.IN_BATCH);
      } else {
        take(item, known.add(item.ordinal()));
      }
    }
    StoredOrdinals ofBatch = new StoredOrdinals();
    unranked.sort(Item.BY_TIME);
    for (Item item : unranked) {
      if (known.contains(item.ordinal())) {
        received.counts.add(
            ofBatch.contains(item.ordinal())
                ? Counts.Outcome.IN_BATCH
                : Counts.Outcome.CONNECTOR_REPLAY);
      } else {
        boolean isNew = known.isBelow(item.ordinal());
        take(item, isNew);
        if (isNew) {
          known.add(item.ordinal());
          ofBatch.add(item.ordinal());
        }
      }
    }
  }

  private void settleTorn(Item item, StoredOrdinals known) {
    if (known.contains(item.ordinal())) {
      received.counts.add(Counts.Outcome.CONNECTOR_REPLAY);
    } else {
      boolean isNew = known.size() == 0;
      take(item, isNew);
      if (isNew) {
        known.add(item.ordinal());
      }
    }
  }

  private void take(Item item, boolean isNew) {
    (isNew ? fresh : unsettled).add(item.pointer());
  }

  /** Pointers to those that no table holds yet, in the order of topic, partition and offset. */
  List<Long> fresh() {
    return fresh;
  }

  /** Pointers to those of which that cannot be told, in the same order. */
  List<Long> unsettled() {
    return unsettled;
  }
}
