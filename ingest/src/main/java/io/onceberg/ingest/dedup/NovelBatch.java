package io.onceberg.ingest.dedup;

import io.onceberg.ingest.decode.Op;
import io.onceberg.keystore.KeyHits;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TaskTarget;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** What is left of one target after the anti-join: events that no table holds yet. */
final class NovelBatch {
  final Pointers changes;
  final Pointers conflicts;

  /** Changes of which it cannot be told whether a table holds them. */
  final Pointers unsettled = new Pointers();

  final List<UnsafeRow> identities = new ArrayList<>();

  private NovelBatch(Pointers changes, Pointers conflicts) {
    this.changes = changes;
    this.conflicts = conflicts;
  }

  static NovelBatch antiJoin(UniqueBatch batch, int target) {
    TargetSpec spec = batch.polled().batch().targets().get(target);
    UniqueBatch.Unique unique = batch.target(target);
    if (batch.polled().batch().plainAppend()) {
      return new NovelBatch(unique.changes, unique.conflicts);
    }
    NovelBatch novel = new NovelBatch(new Pointers(), new Pointers());
    if (unique.changes.size() > 0) {
      List<UnsafeRow> identities = identities(batch, unique, spec.tables());
      KeyHits hits = spec.tables().lookup().find(identities);
      BeyondHorizon.add(batch, target, unique.changes, identities, hits);
      novel.keepMisses(batch, target, unique, identities, hits);
      novel.keepConflicts(batch, target, unique, hits);
    }
    novel.keepEqualRows(batch.polled(), target, spec.tables());
    return novel;
  }

  private static List<UnsafeRow> identities(
      UniqueBatch batch, UniqueBatch.Unique unique, TaskTarget tables) {
    List<UnsafeRow> identities = new ArrayList<>(unique.changes.size());
    Frame frame = new Frame();
    for (int i = 0; i < unique.changes.size(); i++) {
      identities.add(identity(batch.polled().chunks().move(frame, unique.changes.at(i)), tables));
    }
    return identities;
  }

  /** A row that shares the frame's bytes. */
  private static UnsafeRow identity(Frame frame, TaskTarget tables) {
    UnsafeRow row = new UnsafeRow(tables.identityType().size());
    frame.pointTo(row, Frame.IDENTITY);
    return row;
  }

  private void keepEqualRows(PolledBatch polled, int target, TaskTarget tables) {
    EqualRows.Settled rows = EqualRows.settle(polled, target);
    Frame frame = new Frame();
    for (long pointer : rows.fresh()) {
      changes.add(pointer);
      identities.add(identity(polled.chunks().move(frame, pointer), tables));
    }
    rows.unsettled().forEach(unsettled::add);
  }

  private void keepMisses(
      UniqueBatch batch,
      int target,
      UniqueBatch.Unique unique,
      List<UnsafeRow> candidates,
      KeyHits hits) {
    TargetSpec spec = batch.polled().batch().targets().get(target);
    PolledBatch.Received received = batch.polled().received(target);
    boolean events = spec.tables().settings().kind() == TargetKind.EVENTS;
    Pointers beginRange = new Pointers();
    Frame frame = new Frame();
    for (int i = 0; i < candidates.size(); i++) {
      if (!hits.stored().get(i)) {
        changes.add(unique.changes.at(i));
        identities.add(candidates.get(i));
        continue;
      }
      batch.polled().chunks().move(frame, unique.changes.at(i));
      if (events && hits.payloadHashes()[i] != frame.payloadHash()) {
        conflicts.add(unique.changes.at(i));
      } else if (!events && Twins.unsettled(frame, spec.policy())) {
        Twins.refuse(received, frame);
      } else if (!events && frame.has(Frame.BEGINS_RANGE) && !frame.has(Frame.HAS_CONTENT_HASH)) {
        beginRange.add(unique.changes.at(i));
      } else {
        received.counts.add(replay(frame));
      }
    }
    keepSplitStatements(batch, target, beginRange);
  }

  private void keepSplitStatements(UniqueBatch batch, int target, Pointers beginRange) {
    if (beginRange.size() == 0) {
      return;
    }
    Pointers others = new SplitStatement(batch, target).conflicting(beginRange);
    for (int i = 0; i < others.size(); i++) {
      conflicts.add(others.at(i));
    }
    batch
        .polled()
        .received(target)
        .counts
        .add(Counts.Outcome.CONNECTOR_REPLAY, beginRange.size() - others.size());
  }

  /**
   * What conflicts with an earlier event of the batch may be the one that is stored, come again: it
   * is a row already, and its place is not in quarantine, too.
   */
  private void keepConflicts(
      UniqueBatch batch, int target, UniqueBatch.Unique unique, KeyHits hits) {
    boolean events =
        batch.polled().batch().targets().get(target).tables().settings().kind()
            == TargetKind.EVENTS;
    Frame frame = new Frame();
    for (int i = 0; i < unique.conflicts.size(); i++) {
      long pointer = unique.conflicts.at(i);
      int first = unique.changes.placeOf(unique.conflictsWith.at(i));
      batch.polled().chunks().move(frame, pointer);
      if (events
          && hits.stored().get(first)
          && hits.payloadHashes()[first] == frame.payloadHash()) {
        batch.polled().received(target).counts.add(replay(frame));
      } else {
        conflicts.add(pointer);
      }
    }
  }

  private static Counts.Outcome replay(Frame frame) {
    return frame.op() == Op.READ
        ? Counts.Outcome.SNAPSHOT_OVERLAP
        : Counts.Outcome.CONNECTOR_REPLAY;
  }
}
