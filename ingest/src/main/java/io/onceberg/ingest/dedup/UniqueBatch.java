package io.onceberg.ingest.dedup;

import io.onceberg.keystore.TargetKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A batch in which each identity stands once. Without this step both copies of a new event would
 * pass the anti-join. The first copy in the order of topic, partition and offset stays.
 */
final class UniqueBatch {
  private static final int FREE = -1;

  /** What stays of one target. */
  static final class Unique {
    final Pointers changes;

    /** Those whose identity stands earlier in the batch with other contents. */
    final Pointers conflicts = new Pointers();

    /** For each conflict, the event of its key that stays. */
    final Pointers conflictsWith = new Pointers();

    final FrameContents contents;

    Unique(Pointers changes, FrameContents contents) {
      this.changes = changes;
      this.contents = contents;
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
              : new Unique(new Pointers(), contents(polled, i)));
    }
    return batch;
  }

  private static FrameContents contents(PolledBatch polled, int target) {
    return new FrameContents(polled.batch().targets().get(target).tables());
  }

  PolledBatch polled() {
    return polled;
  }

  Unique target(int target) {
    return targets.get(target);
  }

  private Unique unique(int target, PolledBatch.Received received) {
    if (polled.batch().plainAppend()) {
      return new Unique(received.changes, contents(polled, target));
    }
    Unique unique = new Unique(new Pointers(), contents(polled, target));
    int capacity = Math.max(16, Integer.highestOneBit(received.changes.size()) * 4);
    int[] table = new int[capacity];
    Arrays.fill(table, FREE);
    Frame mine = new Frame();
    Frame other = new Frame();
    for (int i = 0; i < received.changes.size(); i++) {
      int slot = (int) received.hashes.at(i) & (capacity - 1);
      while (table[slot] != FREE && !isSame(received, i, table[slot], mine, other)) {
        slot = (slot + 1) & (capacity - 1);
      }
      if (table[slot] == FREE) {
        table[slot] = i;
        unique.changes.add(received.changes.at(i));
      } else {
        repeat(target, received, unique, i, table[slot], mine, other);
      }
    }
    return unique;
  }

  /** Whether two changes are one event; moves the views to them when their hashes are equal. */
  private boolean isSame(
      PolledBatch.Received received, int mine, int other, Frame mineView, Frame otherView) {
    return received.hashes.at(mine) == received.hashes.at(other)
        && polled
            .chunks()
            .move(mineView, received.changes.at(mine))
            .sameIdentity(polled.chunks().move(otherView, received.changes.at(other)));
  }

  /** Events are known by their key, so that equal ones are never twins. */
  private boolean isUnsettledTwin(int target, Frame repeated) {
    TargetSpec spec = polled.batch().targets().get(target);
    return spec.tables().settings().kind() == TargetKind.CHANGELOG
        && Twins.unsettled(repeated, spec.policy());
  }

  private void repeat(
      int target,
      PolledBatch.Received received,
      Unique unique,
      int repeatedAt,
      int firstAt,
      Frame repeated,
      Frame first) {
    if (!unique.contents.same(first, repeated)) {
      unique.conflicts.add(received.changes.at(repeatedAt));
      unique.conflictsWith.add(received.changes.at(firstAt));
    } else if (isUnsettledTwin(target, repeated)) {
      Twins.refuse(received, repeated);
    } else {
      received.counts.add(Counts.Outcome.IN_BATCH);
    }
  }
}
