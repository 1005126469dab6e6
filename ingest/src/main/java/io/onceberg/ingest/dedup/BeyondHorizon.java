package io.onceberg.ingest.dedup;

import io.onceberg.error.OncebergException;
import io.onceberg.error.Reaction;
import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.decode.Op;
import io.onceberg.keystore.KeyHits;
import io.onceberg.keystore.TargetKind;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
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

  private final TargetSpec spec;
  private final boolean always;
  private final long newSince;
  private final long notAfter;

  private BeyondHorizon(TargetSpec spec, int droppedBefore, int loadedDate) {
    this.spec = spec;
    this.always =
        spec.tables().settings().kind() == TargetKind.EVENTS
            && spec.policy().keyReuse() == DedupPolicy.KeyReuse.POSSIBLE;
    this.newSince = (droppedBefore + MARGIN_DAYS) * MICROS_PER_DAY;
    this.notAfter = (loadedDate + 1L + MARGIN_DAYS) * MICROS_PER_DAY;
  }

  /** Adds to the hits of the keys table those that only the target itself still knows. */
  static void add(
      UniqueBatch batch, int target, Pointers changes, List<UnsafeRow> identities, KeyHits hits) {
    TargetSpec spec = batch.polled().batch().targets().get(target);
    OptionalInt droppedBefore = spec.tables().keysDroppedBefore();
    if (droppedBefore.isPresent()) {
      int loadedDate = batch.polled().batch().loadedDate();
      new BeyondHorizon(spec, droppedBefore.getAsInt(), loadedDate)
          .add(batch.polled(), target, changes, identities, hits);
    }
  }

  private void add(
      PolledBatch polled, int target, Pointers changes, List<UnsafeRow> identities, KeyHits hits) {
    List<UnsafeRow> wanted = new ArrayList<>();
    Pointers places = new Pointers();
    Frame frame = new Frame();
    for (int i = 0; i < identities.size(); i++) {
      if (!hits.stored().get(i) && isOld(polled.chunks().move(frame, changes.at(i)))) {
        wanted.add(identities.get(i));
        places.add(i);
      }
    }
    if (wanted.isEmpty()) {
      return;
    }
    PolledBatch.Received received = polled.received(target);
    received.counts.addCheckedBeyondHorizon(wanted.size());
    KeyHits found;
    try {
      found = spec.tables().findDropped(wanted, new StoredIdentity(spec.tables(), spec.policy()));
    } catch (OncebergException e) {
      if (e.code().reaction() != Reaction.STOP_TARGET) {
        throw e;
      }
      received.fail(e.code(), e.detail());
      return;
    }
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

  /** Whether an event may have landed on a day whose keys were dropped. */
  private boolean isOld(Frame frame) {
    if (always || frame.op() == Op.READ) {
      return true;
    }
    Long made = frame.optional(Frame.HAS_SOURCE_TS, Frame.SOURCE_TS);
    return made == null || made < newSince || made > notAfter;
  }
}
