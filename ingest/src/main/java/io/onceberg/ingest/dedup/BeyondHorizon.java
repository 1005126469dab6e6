package io.onceberg.ingest.dedup;

import io.onceberg.error.OncebergException;
import io.onceberg.error.Reaction;
import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.decode.Op;
import io.onceberg.keystore.KeyHits;
import io.onceberg.keystore.StoredOrdinals;
import io.onceberg.keystore.TargetKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Looks for events of a batch among the rows whose keys are no longer kept.
 *
 * <p>A change cannot have landed before the database made it. So one that was made after the last
 * dropped day, by the source's clock, needs no look; a day of margin is for clocks that disagree.
 * The others are looked for in the target itself: older ones, those without a time, or with one
 * that lies in the future and so says that the clocks disagree by more. Snapshot rows are too:
 * their time is that of the snapshot, and an unchanged row of an earlier one has the same identity.
 * So are business keys where the source may use a key again, for then a new change has an old
 * identity.
 */
final class BeyondHorizon {
  private static final long MICROS_PER_DAY = TimeUnit.DAYS.toMicros(1);
  private static final int MARGIN_DAYS = 1;

  private interface Lookup {
    void find(List<UnsafeRow> wanted, Pointers places);
  }

  private final PolledBatch polled;
  private final PolledBatch.Received received;
  private final TargetSpec spec;
  private final boolean always;
  private final long newSince;
  private final long notAfter;

  private BeyondHorizon(PolledBatch polled, int target, int droppedBefore) {
    this.polled = polled;
    this.received = polled.received(target);
    this.spec = polled.batch().targets().get(target);
    this.always =
        spec.tables().settings().kind() == TargetKind.EVENTS
            && spec.policy().keyReuse() == DedupPolicy.KeyReuse.POSSIBLE;
    this.newSince = (droppedBefore + MARGIN_DAYS) * MICROS_PER_DAY;
    this.notAfter = (polled.batch().loadedDate() + 1L + MARGIN_DAYS) * MICROS_PER_DAY;
  }

  /** Adds to the hits of the keys table those that only the target itself still knows. */
  static void add(
      UniqueBatch batch, int target, Pointers changes, List<UnsafeRow> identities, KeyHits hits) {
    of(batch.polled(), target)
        .ifPresent(
            horizon ->
                horizon.look(
                    changes,
                    identities,
                    i -> !hits.stored().get(i),
                    (wanted, places) -> horizon.addHits(wanted, places, hits)));
  }

  /**
   * Adds to the ordinals that the keys table has those that only the target itself still knows.
   *
   * @param changes one of each group of equal changes
   * @param identities of the groups
   */
  static void addOrdinals(
      PolledBatch polled,
      int target,
      List<UnsafeRow> identities,
      Pointers changes,
      List<StoredOrdinals> ordinals) {
    of(polled, target)
        .ifPresent(
            horizon ->
                horizon.look(
                    changes,
                    identities,
                    i -> true,
                    (wanted, places) -> horizon.addOrdinals(wanted, places, ordinals)));
  }

  private static Optional<BeyondHorizon> of(PolledBatch polled, int target) {
    TargetSpec spec = polled.batch().targets().get(target);
    OptionalInt droppedBefore = spec.tables().keysDroppedBefore();
    return droppedBefore.isPresent()
        ? Optional.of(new BeyondHorizon(polled, target, droppedBefore.getAsInt()))
        : Optional.empty();
  }

  /** Looks for those that are not ruled out and may be old. */
  private void look(
      Pointers changes, List<UnsafeRow> identities, IntPredicate isOpen, Lookup lookup) {
    List<UnsafeRow> wanted = new ArrayList<>();
    Pointers places = new Pointers();
    Frame frame = new Frame();
    for (int i = 0; i < identities.size(); i++) {
      if (isOpen.test(i) && isOld(polled.chunks().move(frame, changes.at(i)))) {
        wanted.add(identities.get(i));
        places.add(i);
      }
    }
    if (wanted.isEmpty()) {
      return;
    }
    received.counts.addCheckedBeyondHorizon(wanted.size());
    try {
      lookup.find(wanted, places);
    } catch (OncebergException e) {
      if (e.code().reaction() != Reaction.STOP_TARGET) {
        throw e;
      }
      received.fail(e.code(), e.detail());
    }
  }

  private void addHits(List<UnsafeRow> wanted, Pointers places, KeyHits hits) {
    KeyHits found = spec.tables().findDropped(wanted, stored());
    for (int i = 0; i < wanted.size(); i++) {
      if (found.stored().get(i)) {
        int place = (int) places.at(i);
        hits.stored().set(place);
        if (found.payloadHashes().length > 0) {
          hits.payloadHashes()[place] = found.payloadHashes()[i];
        }
      }
    }
  }

  private void addOrdinals(List<UnsafeRow> wanted, Pointers places, List<StoredOrdinals> ordinals) {
    List<StoredOrdinals> found = spec.tables().ordinalsDropped(wanted, stored());
    for (int i = 0; i < wanted.size(); i++) {
      ordinals.get((int) places.at(i)).addAll(found.get(i));
    }
  }

  private StoredIdentity stored() {
    return new StoredIdentity(spec.tables(), spec.policy());
  }

  /** Whether an event may have landed on a day whose keys were dropped. */
  private boolean isOld(Frame frame) {
    if (always || frame.op() == Op.READ) {
      return true;
    }
    Long made = frame.optional(Frame.HAS_SOURCE_TS, Frame.SOURCE_TS);
    return made == null || made < newSince || made > notAfter;
  }
}
