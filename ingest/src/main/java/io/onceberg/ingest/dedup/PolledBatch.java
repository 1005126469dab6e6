package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.keystore.SourceSchema;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** All frames of one writing task, sorted out by target. The first of four stages. */
final class PolledBatch {
  /** What was received for one target. */
  static final class Received {
    final Pointers changes = new Pointers();

    /** The identity's hash of each change: most comparisons need no look at the frames. */
    final Pointers hashes = new Pointers();

    /** Changes of tables without a key: which of equal ones each is, is open. */
    final Pointers keyless = new Pointers();

    final Pointers keylessHashes = new Pointers();

    final Pointers quarantine = new Pointers();
    final List<SourceSchema> newSchemas = new ArrayList<>();
    final Counts counts = new Counts();
    @Nullable ErrorCode failure;
    String failureMessage = "";

    void fail(ErrorCode code, String message) {
      if (failure == null) {
        failure = code;
        failureMessage = message;
      }
    }

    /** Whether this target's rows may be written by this run of the job. */
    boolean writable() {
      return failure == null && newSchemas.isEmpty();
    }
  }

  private final BatchSpec batch;
  private final Chunks chunks;
  private final List<Received> received = new ArrayList<>();

  private PolledBatch(BatchSpec batch, Chunks chunks) {
    this.batch = batch;
    this.chunks = chunks;
    for (int i = 0; i < batch.targets().size(); i++) {
      received.add(new Received());
    }
  }

  static PolledBatch of(BatchSpec batch, Chunks chunks) {
    PolledBatch polled = new PolledBatch(batch, chunks);
    chunks.forEach(polled::sortOut);
    return polled;
  }

  private void sortOut(Frame frame, long pointer) {
    Received target = received.get(frame.target());
    switch (frame.type()) {
      case CHANGE -> {
        if (frame.has(Frame.KEYLESS) && !batch.plainAppend()) {
          target.keyless.add(pointer);
          target.keylessHashes.add(frame.hash());
        } else {
          target.changes.add(pointer);
          target.hashes.add(frame.hash());
        }
      }
      case QUARANTINE -> target.quarantine.add(pointer);
      case NEW_SCHEMA -> target.newSchemas.add(Serialised.read(body(frame), SourceSchema.class));
      case FAILURE -> target.fail(frame.code(), new String(body(frame), StandardCharsets.UTF_8));
      case COUNTS -> target.counts.addAll(Serialised.read(body(frame), Counts.class));
    }
  }

  private static byte[] body(Frame frame) {
    return Objects.requireNonNull(frame.bytes(Frame.BODY));
  }

  BatchSpec batch() {
    return batch;
  }

  Chunks chunks() {
    return chunks;
  }

  Received received(int target) {
    return received.get(target);
  }
}
