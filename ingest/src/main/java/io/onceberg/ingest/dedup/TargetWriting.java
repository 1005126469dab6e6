package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.source.KafkaRangeReader;
import io.onceberg.ingest.source.RangeReader;
import io.onceberg.keystore.QuarantinedRecord;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.StagedFiles;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

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
    TargetWriter writer = spec.tables().writer(batch.loadedDate(), partitionId, taskAttemptId);
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
    Map<ByteBuffer, QuarantinedRecord> candidates = new HashMap<>();
    Frame frame = new Frame();
    for (int i = 0; i < received.quarantine.size(); i++) {
      addCandidate(
          candidates, refused(unique.polled().chunks().move(frame, received.quarantine.at(i))));
    }
    for (int i = 0; i < novel.conflicts.size(); i++) {
      conflict(unique.polled().chunks().move(frame, novel.conflicts.at(i)), candidates);
    }
    if (candidates.isEmpty() || !received.writable()) {
      return List.of();
    }
    Set<ByteBuffer> known = spec.tables().quarantined(candidates.keySet());
    List<QuarantinedRecord> fresh = new ArrayList<>();
    candidates.forEach(
        (digest, record) -> {
          if (known.contains(digest)) {
            received.counts.add(Counts.Outcome.QUARANTINED_BEFORE);
          } else {
            received.counts.addQuarantined(record.code());
            fresh.add(record);
          }
        });
    return fresh;
  }

  private void addCandidate(
      Map<ByteBuffer, QuarantinedRecord> candidates, QuarantinedRecord record) {
    if (candidates.putIfAbsent(ByteBuffer.wrap(record.identityDigest()), record) != null) {
      received.counts.add(Counts.Outcome.QUARANTINED_BEFORE);
    }
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

  private void conflict(Frame frame, Map<ByteBuffer, QuarantinedRecord> candidates) {
    String topic = batch.topics().get(frame.topic());
    String detail =
        "the event key of %s-%d offset %d was stored before with another payload"
            .formatted(topic, frame.partition(), frame.offset());
    switch (spec.policy().conflict()) {
      case KEEP_FIRST -> received.counts.add(Counts.Outcome.CONFLICT_DROPPED);
      case STOP -> received.fail(ErrorCode.CONFLICT_STOP, detail);
      case QUARANTINE -> {
        byte[] identity = Objects.requireNonNull(frame.bytes(Frame.IDENTITY));
        byte[] digest = QuarantineDigest.ofConflict(identity, frame.payloadHash());
        addCandidate(candidates, readAgain(frame, digest, detail));
      }
    }
  }

  /** Frames do not carry raw bytes; a conflict is rare enough to read its record once more. */
  private QuarantinedRecord readAgain(Frame frame, byte[] digest, String detail) {
    String topic = batch.topics().get(frame.topic());
    String topicId = batch.topicIds().get(frame.topic());
    SourceRange one =
        new SourceRange(
            new SourcePartition(topic, frame.partition()),
            topicId,
            frame.offset(),
            frame.offset() + 1);
    List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>(1);
    try (RangeReader reader = new KafkaRangeReader(batch.consumer(), batch.pollTimeout())) {
      reader.read(one, new OneRecord(found));
    }
    ConsumerRecord<byte[], byte[]> record = found.get(0);
    return new QuarantinedRecord(
        digest,
        ErrorCode.EVENT_CONFLICT,
        detail,
        topic,
        topicId,
        record.partition(),
        record.offset(),
        record.timestamp(),
        record.key(),
        record.value());
  }

  private record OneRecord(List<ConsumerRecord<byte[], byte[]>> found)
      implements RangeReader.Handler {
    @Override
    public void before(ConsumerRecord<byte[], byte[]> record) {
      // Only the record itself is wanted.
    }

    @Override
    public void accept(ConsumerRecord<byte[], byte[]> record) {
      found.add(record);
    }
  }
}
