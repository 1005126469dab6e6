package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.decode.Op;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * A view of one frame in a chunk. Frames are how decoded events travel from the tasks that read to
 * the tasks that write.
 *
 * <p>Layout: a header of fixed places, then byte sections in a fixed order, each starting at a
 * multiple of 8 so that {@link UnsafeRow} can lie in them. All numbers are in native order: frames
 * live within one job on one kind of machine.
 */
final class Frame {
  /** What a frame holds. */
  enum Type {
    /** A change that becomes a row unless it is a repeat. */
    CHANGE,
    /** A record on its way to quarantine. */
    QUARANTINE,
    /** A schema that the target's tables cannot hold yet (serialised). */
    NEW_SCHEMA,
    /** A reason to stop the target. */
    FAILURE,
    /** Counters of records that became no frame (serialised). */
    COUNTS
  }

  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  // Header, in bytes from the frame's start.
  static final int LENGTH = 0;
  static final int TYPE = 4;
  static final int OP = 5;
  static final int FLAGS = 6;
  static final int TARGET = 8;
  static final int TOPIC = 12;
  static final int PARTITION = 16;
  static final int CODE = 20;
  static final int OFFSET = 24;
  static final int HASH = 32;
  static final int PAYLOAD_HASH = 40;
  static final int CONTENT_HIGH = 48;
  static final int CONTENT_LOW = 56;
  static final int TS = 64;
  static final int SOURCE_TS = 72;
  static final int LSN = 80;
  static final int TX_ID = 88;
  static final int ORDINAL = 96;
  static final int SECTIONS = 104;
  static final int SECTION_COUNT = 5;
  static final int RANK = 124;
  static final int HEADER = 128;

  // Sections of a CHANGE; a QUARANTINE has digest, detail, key, value.
  static final int IDENTITY = 0;
  static final int COLUMNS = 1;
  static final int KEY_TEXT = 2;
  static final int SOURCE = 3;
  static final int UNAVAILABLE = 4;
  static final int DIGEST = 0;
  static final int DETAIL = 1;
  static final int RAW_KEY = 2;
  static final int RAW_VALUE = 3;
  static final int BODY = 0;

  // Flags: which optional numbers are there, and two more.
  static final int HAS_TS = 1;
  static final int HAS_SOURCE_TS = 2;
  static final int HAS_LSN = 4;
  static final int HAS_TX_ID = 8;
  static final int HAS_ORDINAL = 16;
  static final int HAS_CONTENT_HASH = 32;

  /** Not a number: the change has the position with which its range begins. */
  static final int BEGINS_RANGE = 64;

  /** Not a number either: an {@link Identity#keyless} change. */
  static final int KEYLESS = 128;

  /** The length of a section that is absent, not empty. */
  static final int ABSENT = -1;

  private static final Type[] TYPES = Type.values();
  private static final Op[] OPS = Op.values();
  private static final ErrorCode[] CODES = ErrorCode.values();

  private byte[] chunk = new byte[0];
  private int start;

  /** Moves this view; returns itself. */
  Frame at(byte[] newChunk, int newStart) {
    chunk = newChunk;
    start = newStart;
    return this;
  }

  int length() {
    return intAt(LENGTH);
  }

  Type type() {
    return TYPES[chunk[start + TYPE]];
  }

  Op op() {
    return OPS[chunk[start + OP]];
  }

  ErrorCode code() {
    return CODES[intAt(CODE)];
  }

  int target() {
    return intAt(TARGET);
  }

  int topic() {
    return intAt(TOPIC);
  }

  int partition() {
    return intAt(PARTITION);
  }

  long offset() {
    return longAt(OFFSET);
  }

  long hash() {
    return longAt(HASH);
  }

  /** The Kafka record's timestamp, milliseconds since the epoch, of a QUARANTINE frame. */
  long timestampMillis() {
    return longAt(TS);
  }

  long payloadHash() {
    return longAt(PAYLOAD_HASH);
  }

  /** What {@link EqualRanks} says of a keyless change. */
  int rank() {
    return intAt(RANK);
  }

  boolean has(int flag) {
    return (chunk[start + FLAGS] & flag & 0xff) != 0;
  }

  @Nullable Long optional(int flag, int place) {
    return has(flag) ? longAt(place) : null;
  }

  byte @Nullable [] contentHash() {
    return has(HAS_CONTENT_HASH)
        ? IdentityRule.bytes(longAt(CONTENT_HIGH), longAt(CONTENT_LOW))
        : null;
  }

  /** A section as text that shares the chunk's bytes; null when absent. */
  @Nullable UTF8String text(int section) {
    int length = sectionLength(section);
    return length < 0
        ? null
        : UTF8String.fromAddress(
            chunk, (long) Platform.BYTE_ARRAY_OFFSET + sectionStart(section), length);
  }

  /** A copy of a section; null when absent. */
  byte @Nullable [] bytes(int section) {
    int length = sectionLength(section);
    int from = sectionStart(section);
    return length < 0 ? null : Arrays.copyOfRange(chunk, from, from + length);
  }

  /** Points a row at a section. */
  void pointTo(UnsafeRow row, int section) {
    row.pointTo(
        chunk, (long) Platform.BYTE_ARRAY_OFFSET + sectionStart(section), sectionLength(section));
  }

  /** Says which of the equal changes a keyless one is. */
  void setOrdinal(UnsafeRow identity, int ordinalAt, long ordinal) {
    LONG.set(chunk, start + ORDINAL, ordinal);
    pointTo(identity, IDENTITY);
    identity.setLong(ordinalAt, ordinal);
  }

  /** Whether this frame and another hold the same identity of the same target. */
  boolean sameIdentity(Frame other) {
    return target() == other.target() && sameBytes(other, IDENTITY);
  }

  /** Whether a section of this frame and another has the same bytes. */
  boolean sameBytes(Frame other, int section) {
    int from = sectionStart(section);
    int otherFrom = other.sectionStart(section);
    return Arrays.equals(
        chunk,
        from,
        from + sectionLength(section),
        other.chunk,
        otherFrom,
        otherFrom + other.sectionLength(section));
  }

  private int sectionLength(int section) {
    return intAt(SECTIONS + 4 * section);
  }

  private int sectionStart(int section) {
    int at = start + HEADER;
    for (int i = 0; i < section; i++) {
      at += padded(sectionLength(i));
    }
    return at;
  }

  /** The bytes that a section takes: none when absent, else a multiple of 8. */
  static int padded(int length) {
    return length <= 0 ? 0 : (length + 7) & ~7;
  }

  private int intAt(int place) {
    return (int) INT.get(chunk, start + place);
  }

  private long longAt(int place) {
    return (long) LONG.get(chunk, start + place);
  }
}
