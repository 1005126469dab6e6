package io.onceberg.ingest.dedup;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A batch in which each identity stands once. Without this step both copies of a new event would
 * pass the anti-join. The first copy in the order of topic, partition and offset stays.
 */
final class UniqueBatch {
  /** What stays of one target. */
  static final class Unique {
    final Pointers changes;

    /** Events whose key stands earlier in the batch with another payload. */
    final Pointers conflicts = new Pointers();

    Unique(Pointers changes) {
      this.changes = changes;
    }
  }

  private final PolledBatch polled;
  private final List<Unique> targets = new ArrayList<>();

  private UniqueBatch(PolledBatch polled) {
    this.polled = polled;
  }

  static UniqueBatch of(PolledBatch polled) {
    UniqueBatch batch = new UniqueBatch(polled);
    for (int i = 0; i < polled.batch().targets().size(); i++) {
      batch.targets.add(
          polled.received(i).writable()
              ? batch.unique(i, polled.received(i))
              : new Unique(new Pointers()));
    }
    return batch;
  }

  PolledBatch polled() {
    return polled;
  }

  Unique target(int target) {
    return targets.get(target);
  }

  private Unique unique(int target, PolledBatch.Received received) {
    if (polled.batch().plainAppend()) {
      return new Unique(received.changes);
    }
    Unique unique = new Unique(new Pointers());
    int capacity = Math.max(16, Integer.highestOneBit(received.changes.size()) * 4);
    long[] table = new long[capacity];
    Arrays.fill(table, -1);
    Frame mine = new Frame();
    Frame other = new Frame();
    for (int i = 0; i < received.changes.size(); i++) {
      long pointer = received.changes.at(i);
      polled.chunks().move(mine, pointer);
      int slot = (int) mine.hash() & (capacity - 1);
      while (table[slot] != -1 && !isSame(mine, polled.chunks().move(other, table[slot]))) {
        slot = (slot + 1) & (capacity - 1);
      }
      if (table[slot] == -1) {
        table[slot] = pointer;
        unique.changes.add(pointer);
      } else {
        repeat(target, received, unique, pointer, mine, other);
      }
    }
    return unique;
  }

  private static boolean isSame(Frame left, Frame right) {
    return left.hash() == right.hash() && left.sameIdentity(right);
  }

  private void repeat(
      int target,
      PolledBatch.Received received,
      Unique unique,
      long pointer,
      Frame repeated,
      Frame first) {
    if (repeated.payloadHash() != first.payloadHash()) {
      unique.conflicts.add(pointer);
    } else if (Twins.unsettled(repeated, polled.batch().targets().get(target).policy())) {
      Twins.refuse(received, repeated);
    } else {
      received.counts.add(Counts.Outcome.IN_BATCH);
    }
  }
}
