package io.onceberg.ingest.dedup;

import io.onceberg.keystore.TargetKind;
import java.util.ArrayList;
import java.util.List;

/**
 * A batch in which each identity stands once. Without this step both copies of a new event would
 * pass the anti-join. The first copy in the order of topic, partition and offset stays.
 */
final class UniqueBatch {
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
    IdentityTable seen = new IdentityTable(polled.chunks(), received.changes, received.hashes);
    for (int i = 0; i < received.changes.size(); i++) {
      int first = seen.take(i);
      if (first == i) {
        unique.changes.add(received.changes.at(i));
      } else {
        repeat(target, received, unique, received.changes.at(i), received.changes.at(first));
      }
    }
    return unique;
  }

  /** Events are known by their key, so that equal ones are never twins. */
  private boolean isUnsettledTwin(int target, Frame repeated) {
    TargetSpec spec = polled.batch().targets().get(target);
    return spec.tables().settings().kind() == TargetKind.CHANGELOG
        && Twins.unsettled(repeated, spec.policy());
  }

  private void repeat(
      int target, PolledBatch.Received received, Unique unique, long repeatedAt, long firstAt) {
    Frame repeated = polled.chunks().move(new Frame(), repeatedAt);
    if (!unique.contents.same(polled.chunks().move(new Frame(), firstAt), repeated)) {
      unique.conflicts.add(repeatedAt);
      unique.conflictsWith.add(firstAt);
    } else if (isUnsettledTwin(target, repeated)) {
      Twins.refuse(received, repeated);
    } else {
      received.counts.add(Counts.Outcome.IN_BATCH);
    }
  }
}
