package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.Reaction;
import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.decode.Decoded;
import io.onceberg.ingest.decode.EventOrigin;
import io.onceberg.ingest.decode.Op;
import io.onceberg.keystore.SourceSchema;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Decodes and identifies the records of one target within one reading task. */
final class TargetReading implements AutoCloseable {
  private final TargetSpec spec;
  private final int target;
  private final FrameWriter[] writers;
  private final boolean plainAppend;
  private final long schemaLookAhead;
  private final ReadingTools tools;
  private final EqualRanks ranks = new EqualRanks();
  private final Counts counts = new Counts();
  private final Set<SourceSchema> newSchemas = new HashSet<>();
  private long lookedAhead;
  private boolean failed;
  private byte @Nullable [] deletedKey;
  private @Nullable Long firstPosition;
  private boolean beginsRange;
  private @Nullable RangeStart rangeStart;
  private boolean atStart;

  TargetReading(BatchSpec batch, int target, FrameWriter[] writers) {
    this.spec = batch.targets().get(target);
    this.target = target;
    this.writers = writers;
    this.plainAppend = batch.plainAppend();
    this.schemaLookAhead = batch.schemaLookAhead();
    this.tools = ReadingTools.borrow(spec);
  }

  /**
   * Whether nothing further can change what becomes of this run: the target stops or runs again.
   */
  boolean isSettled() {
    return failed || lookedAhead >= schemaLookAhead;
  }

  /** Forgets the previous record: the next one begins another range. */
  void beginRange() {
    deletedKey = null;
    firstPosition = null;
    beginsRange = true;
    rangeStart = null;
    ranks.begin(false);
    atStart = true;
  }

  /**
   * Whether the records before a range are wanted: where it begins with a tombstone, or may begin
   * between rows of one position that only their order tells apart.
   *
   * @param undivided whether the topic has one partition only
   */
  boolean wantsEarlier(ConsumerRecord<byte[], byte[]> first, boolean undivided) {
    if (!atStart) {
      return false;
    }
    atStart = false;
    boolean inOrder = undivided && !plainAppend && tools.identities().tellsKeyless();
    if (first.value() == null || (inOrder && mayLieWithinAPosition(first))) {
      rangeStart = new RangeStart(tools, inOrder, first.offset() == 0);
      return true;
    }
    ranks.begin(inOrder);
    return false;
  }

  /** Only changes of other positions lie right before one that is the first of its table. */
  private boolean mayLieWithinAPosition(ConsumerRecord<byte[], byte[]> first) {
    Decoded decoded = tools.decoder().decode(first);
    EventOrigin origin = decoded.origin();
    return origin == null
        || !(decoded instanceof Decoded.Change)
        || (tools.identities().isKeyless(origin)
            && !Objects.equals(origin.ordinal(), EqualRanks.FIRST));
  }

  /** Sees records before the range, the nearest first; whether more are wanted. */
  boolean earlier(List<ConsumerRecord<byte[], byte[]>> window) {
    return Objects.requireNonNull(rangeStart).take(window);
  }

  private void takeStart(RangeStart start) {
    ConsumerRecord<byte[], byte[]> nearest = start.nearest();
    if (nearest != null) {
      remember(nearest, tools.decoder().decode(nearest));
    }
    start.replay(ranks);
    rangeStart = null;
  }

  void accept(ConsumerRecord<byte[], byte[]> record, ReadTask.Part part) {
    counts.add(Counts.Outcome.READ);
    if (isSettled()) {
      return;
    }
    if (rangeStart != null) {
      takeStart(rangeStart);
    }
    lookedAhead += newSchemas.isEmpty() ? 0 : 1;
    Decoded decoded = tools.decoder().decode(record);
    String topicId = part.range().topicId();
    Coordinates at = new Coordinates(target, part.topic(), record.partition(), record.offset());
    if (decoded instanceof Decoded.Change change) {
      change(record, at, part, change);
    } else if (decoded instanceof Decoded.Tombstone) {
      tombstone(record, at, topicId);
    } else if (decoded instanceof Decoded.Control control) {
      counts.addControl(control.kind());
    } else if (decoded instanceof Decoded.Refused refused) {
      pass(refused.origin());
      byte[] digest = digest(at, topicId, refused.origin(), "");
      refuse(record, at, refused.code(), refused.detail(), digest);
    } else if (decoded instanceof Decoded.NewSchema schema) {
      newSchema(schema.schema());
    }
    remember(record, decoded);
  }

  private void remember(ConsumerRecord<byte[], byte[]> record, Decoded decoded) {
    EventOrigin origin = decoded.origin();
    boolean delete = origin != null && origin.op() == Op.DELETE;
    deletedKey = delete ? record.key() : null;
  }

  private void change(
      ConsumerRecord<byte[], byte[]> record,
      Coordinates at,
      ReadTask.Part part,
      Decoded.Change change) {
    Identified identified = tools.identities().identify(change, at.partition(), at.offset());
    if (identified instanceof NoIdentity none) {
      byte[] digest =
          digest(at, part.range().topicId(), change.origin(), tools.identities().content(change));
      refuse(record, at, none.code(), none.detail(), digest);
      return;
    }
    Identity identity = (Identity) identified;
    int rank = rank(part, change.origin(), identity);
    if (newSchemas.isEmpty()) {
      long route = plainAppend ? 0 : identity.hash();
      writers[spec.writerOf(route, writers.length)].change(
          at, change, identity, beginsRange(change.origin().lsn()), rank);
    }
  }

  private int rank(ReadTask.Part part, EventOrigin origin, Identity identity) {
    return identity.keyless() && part.undivided() && !plainAppend
        ? ranks.next(origin, identity)
        : EqualRanks.UNKNOWN;
  }

  private void pass(@Nullable EventOrigin refused) {
    if (refused != null && tools.identities().isKeyless(refused)) {
      ranks.pass(refused);
    }
  }

  private boolean beginsRange(@Nullable Long position) {
    if (beginsRange) {
      if (firstPosition == null) {
        firstPosition = position;
      }
      beginsRange = position != null && position.equals(firstPosition);
    }
    return beginsRange;
  }

  /**
   * Debezium sends a tombstone after a delete of a table without a key too. With neither key nor
   * value it says nothing that could be lost, and may lie in another partition than its delete.
   */
  private void tombstone(ConsumerRecord<byte[], byte[]> record, Coordinates at, String topicId) {
    boolean empty = record.key() == null;
    if (empty || (deletedKey != null && Arrays.equals(deletedKey, record.key()))) {
      counts.add(Counts.Outcome.TOMBSTONE);
      return;
    }
    refuse(
        record,
        at,
        ErrorCode.LONE_TOMBSTONE,
        "a record without a value that does not follow the delete of its key",
        digest(at, topicId, null, ""));
  }

  private void refuse(
      ConsumerRecord<byte[], byte[]> record,
      Coordinates at,
      ErrorCode code,
      String detail,
      byte[] digest) {
    if (code == ErrorCode.EVENT_MUTATION
        && spec.policy().conflict() == DedupPolicy.Conflict.KEEP_FIRST) {
      counts.add(Counts.Outcome.CONFLICT_DROPPED);
      return;
    }
    ErrorCode effective = escalate(code);
    if (effective.reaction() != Reaction.QUARANTINE) {
      fail(
          effective,
          "%s at %s-%d offset %d".formatted(detail, record.topic(), at.partition(), at.offset()));
      return;
    }
    int writer = spec.writerOf(Arrays.hashCode(digest) * 0x9e3779b97f4a7c15L, writers.length);
    writers[writer].quarantine(
        at, effective, detail, digest, record.timestamp(), record.key(), record.value());
  }

  /**
   * By what a refused record is known when it comes again. An event that its origin does not tell
   * from others of its statement, and whose columns could not be read, is known by its place.
   */
  private byte[] digest(
      Coordinates at, String topicId, @Nullable EventOrigin origin, String content) {
    if (origin == null
        || origin.lsn() == null
        || (content.isEmpty() && !QuarantineDigest.isTold(origin))) {
      return QuarantineDigest.ofPlace(topicId, at.partition(), at.offset());
    }
    return QuarantineDigest.ofOrigin(spec.tables().settings().sourceEpoch(), origin, content);
  }

  /** An event conflict stops the target where the user chose so. */
  private ErrorCode escalate(ErrorCode code) {
    boolean stop = spec.policy().conflict() == DedupPolicy.Conflict.STOP;
    return stop && code == ErrorCode.EVENT_MUTATION ? ErrorCode.CONFLICT_STOP : code;
  }

  /** Stops the target: nothing of it is written by this job. */
  void fail(ErrorCode code, String message) {
    if (failed) {
      return;
    }
    failed = true;
    signal(Frame.Type.FAILURE, code, message.getBytes(StandardCharsets.UTF_8));
  }

  private void newSchema(SourceSchema schema) {
    if (newSchemas.add(schema)) {
      signal(Frame.Type.NEW_SCHEMA, null, Serialised.write(schema));
    }
  }

  /** Tells every task that writes for this target. */
  private void signal(Frame.Type type, @Nullable ErrorCode code, byte[] body) {
    for (int i = 0; i < spec.writers(); i++) {
      writers[(spec.firstWriter() + i) % writers.length].signal(type, target, code, body);
    }
  }

  /** Sends what was only counted. */
  void finish() {
    writers[spec.firstWriter() % writers.length].signal(
        Frame.Type.COUNTS, target, null, Serialised.write(counts));
  }

  @Override
  public void close() {
    tools.giveBack();
  }
}
