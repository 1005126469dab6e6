package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.keystore.QuarantinedRecord;
import io.onceberg.keystore.StagedFiles;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Writes what one writing task has for one target. */
final class TargetWriting {
  private final UniqueBatch unique;
  private final int target;
  private final BatchSpec batch;
  private final TargetSpec spec;
  private final PolledBatch.Received received;
  private final int partitionId;
  private final long taskAttemptId;

  TargetWriting(UniqueBatch unique, int target, int partitionId, long taskAttemptId) {
    this.unique = unique;
    this.target = target;
    this.batch = unique.polled().batch();
    this.spec = batch.targets().get(target);
    this.received = unique.polled().received(target);
    this.partitionId = partitionId;
    this.taskAttemptId = taskAttemptId;
  }

  WriteResult write() {
    if (!received.writable()) {
      return result(StagedFiles.NONE);
    }
    NovelBatch novel = NovelBatch.antiJoin(unique, target);
    List<QuarantinedRecord> quarantine = quarantine(novel);
    if (!received.writable()) {
      return result(StagedFiles.NONE);
    }
    TargetWriter writer =
        spec.tables().writer(batch.loadedDate(), partitionId, batch.writers(), taskAttemptId);
    boolean done = false;
    try {
      writeRows(novel, writer);
      if (!batch.plainAppend()) {
        writer.writeKeys(novel.identities, payloadHashes(novel));
      }
      quarantine.forEach(writer::writeQuarantined);
      StagedFiles files = writer.finish();
      done = true;
      return result(files);
    } finally {
      if (!done) {
        writer.abort();
      }
    }
  }

  private WriteResult result(StagedFiles files) {
    return new WriteResult(
        target,
        files,
        received.counts,
        List.copyOf(received.newSchemas),
        received.failure,
        received.failureMessage);
  }

  private void writeRows(NovelBatch novel, TargetWriter writer) {
    RowAssembly assembly = new RowAssembly(batch, spec);
    Frame frame = new Frame();
    for (int i = 0; i < novel.changes.size(); i++) {
      unique.polled().chunks().move(frame, novel.changes.at(i));
      writer.writeRow(assembly.assemble(frame));
      received.counts.add(Counts.Outcome.ROW);
    }
  }

  private long[] payloadHashes(NovelBatch novel) {
    if (spec.tables().settings().kind() != TargetKind.EVENTS) {
      return new long[0];
    }
    Frame frame = new Frame();
    long[] hashes = new long[novel.changes.size()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = unique.polled().chunks().move(frame, novel.changes.at(i)).payloadHash();
    }
    return hashes;
  }

  /** The records to quarantine now; those that lie there already are only counted. */
  private List<QuarantinedRecord> quarantine(NovelBatch novel) {
    Map<ByteBuffer, QuarantinedRecord> refused = refused();
    Conflicts conflicts = conflicts(novel);
    Conflicts unsettled = unsettled(novel);
    if (!received.writable()) {
      return List.of();
    }
    Set<ByteBuffer> fresh = new LinkedHashSet<>(refused.keySet());
    fresh.addAll(conflicts.digests());
    fresh.addAll(unsettled.digests());
    if (fresh.isEmpty()) {
      return List.of();
    }
    Set<ByteBuffer> known = spec.tables().quarantined(fresh);
    known.forEach(digest -> received.counts.add(Counts.Outcome.QUARANTINED_BEFORE));
    fresh.removeAll(known);
    List<QuarantinedRecord> records = new ArrayList<>();
    fresh.stream().map(refused::get).filter(Objects::nonNull).forEach(records::add);
    fresh.removeAll(refused.keySet());
    records.addAll(conflicts.records(fresh));
    records.addAll(unsettled.records(fresh));
    records.forEach(record -> received.counts.addQuarantined(record.code()));
    return records;
  }

  private Map<ByteBuffer, QuarantinedRecord> refused() {
    Map<ByteBuffer, QuarantinedRecord> refused = new LinkedHashMap<>();
    Frame frame = new Frame();
    for (int i = 0; i < received.quarantine.size(); i++) {
      QuarantinedRecord record =
          refused(unique.polled().chunks().move(frame, received.quarantine.at(i)));
      if (refused.putIfAbsent(ByteBuffer.wrap(record.identityDigest()), record) != null) {
        received.counts.add(Counts.Outcome.QUARANTINED_BEFORE);
      }
    }
    return refused;
  }

  private QuarantinedRecord refused(Frame frame) {
    return new QuarantinedRecord(
        Objects.requireNonNull(frame.bytes(Frame.DIGEST)),
        frame.code(),
        String.valueOf(frame.text(Frame.DETAIL)),
        batch.topics().get(frame.topic()),
        batch.topicIds().get(frame.topic()),
        frame.partition(),
        frame.offset(),
        frame.timestampMillis(),
        frame.bytes(Frame.RAW_KEY),
        frame.bytes(Frame.RAW_VALUE));
  }

  /** Settles the conflicts by policy; those to be quarantined are left. */
  private Conflicts conflicts(NovelBatch novel) {
    boolean events = spec.tables().settings().kind() == TargetKind.EVENTS;
    Conflicts conflicts =
        new Conflicts(
            batch,
            events ? ErrorCode.EVENT_CONFLICT : ErrorCode.KEY_NOT_UNIQUE,
            unique.target(target).contents);
    DedupPolicy.Conflict policy =
        events ? spec.policy().conflict() : DedupPolicy.Conflict.QUARANTINE;
    Frame frame = new Frame();
    for (int i = 0; i < novel.conflicts.size(); i++) {
      unique.polled().chunks().move(frame, novel.conflicts.at(i));
      switch (policy) {
        case KEEP_FIRST -> received.counts.add(Counts.Outcome.CONFLICT_DROPPED);
        case STOP ->
            received.fail(
                ErrorCode.CONFLICT_STOP,
                conflicts.detail(
                    batch.topics().get(frame.topic()), frame.partition(), frame.offset()));
        case QUARANTINE -> add(frame, conflicts);
      }
    }
    return conflicts;
  }

  private Conflicts unsettled(NovelBatch novel) {
    Conflicts unsettled =
        new Conflicts(batch, ErrorCode.EQUALS_UNSETTLED, unique.target(target).contents);
    Frame frame = new Frame();
    for (int i = 0; i < novel.unsettled.size(); i++) {
      add(unique.polled().chunks().move(frame, novel.unsettled.at(i)), unsettled);
    }
    return unsettled;
  }

  private void add(Frame frame, Conflicts conflicts) {
    if (!conflicts.add(frame)) {
      received.counts.add(Counts.Outcome.QUARANTINED_BEFORE);
    }
  }
}
