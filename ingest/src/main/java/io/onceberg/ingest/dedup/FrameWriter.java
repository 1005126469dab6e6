package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.decode.Decoded;
import io.onceberg.ingest.decode.EventOrigin;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Writes the frames that go to one writing task into chunks. A chunk starts with the number of the
 * reading task and its own number within that task, so that the writing task can restore the order.
 */
@SuppressWarnings(
    "EnumOrdinal") // frames live within one job of one version, where ordinals are stable
final class FrameWriter {
  /** Bytes before the first frame of a chunk. */
  static final int CHUNK_HEADER = 16;

  private static final byte[] NO_CHUNK = new byte[0];

  private final int readerTask;
  private final boolean handOver;
  private final ArrayDeque<byte[]> full = new ArrayDeque<>();
  private byte[] chunk = NO_CHUNK;
  private int position = CHUNK_HEADER;
  private int chunks;
  private int frameStart;

  /**
   * Writes nothing yet.
   *
   * @param readerTask the number of the reading task
   * @param handOver whether the chunks themselves reach the writing task, which has them from the
   *     pool then; else they are copied on the way, and are cut to their length
   */
  FrameWriter(int readerTask, boolean handOver) {
    this.readerTask = readerTask;
    this.handOver = handOver;
  }

  void change(Coordinates at, Decoded.Change change, Identity identity) {
    change(at, change, identity, false, EqualRanks.UNKNOWN);
  }

  /**
   * Writes a change.
   *
   * @param beginsRange whether its position is the one with which its range begins
   * @param rank its place among equal changes, from {@link EqualRanks}
   */
  void change(
      Coordinates at, Decoded.Change change, Identity identity, boolean beginsRange, int rank) {
    EventOrigin origin = change.origin();
    String unavailable =
        change.unavailable().isEmpty() ? "" : String.join("\n", change.unavailable());
    int identityBytes = identity.row().getSizeInBytes();
    int columnBytes = change.columns().getSizeInBytes();
    begin(
        Frame.Type.CHANGE,
        at,
        identityBytes
            + columnBytes
            + bytes(origin.keyText())
            + bytes(origin.source())
            + 4 * unavailable.length());
    chunk[frameStart + Frame.OP] = (byte) origin.op().ordinal();
    putLong(Frame.HASH, identity.hash());
    putLong(Frame.PAYLOAD_HASH, identity.payloadHash());
    int flags =
        optional(Frame.HAS_TS, Frame.TS, origin.tsMicros())
            | optional(Frame.HAS_SOURCE_TS, Frame.SOURCE_TS, origin.sourceTsMicros())
            | optional(Frame.HAS_LSN, Frame.LSN, origin.lsn())
            | optional(Frame.HAS_TX_ID, Frame.TX_ID, origin.txId())
            | optional(Frame.HAS_ORDINAL, Frame.ORDINAL, origin.ordinal());
    if (beginsRange) {
      flags |= Frame.BEGINS_RANGE;
    }
    if (identity.keyless()) {
      flags |= Frame.KEYLESS;
      putInt(Frame.RANK, rank);
    }
    if (identity.hasContentHash()) {
      flags |= Frame.HAS_CONTENT_HASH;
      putLong(Frame.CONTENT_HIGH, identity.contentHigh());
      putLong(Frame.CONTENT_LOW, identity.contentLow());
    }
    chunk[frameStart + Frame.FLAGS] = (byte) flags;
    section(Frame.IDENTITY, identity.row());
    section(Frame.COLUMNS, change.columns());
    section(Frame.KEY_TEXT, origin.keyText());
    section(Frame.SOURCE, origin.source());
    if (unavailable.isEmpty()) {
      putInt(Frame.SECTIONS + 4 * Frame.UNAVAILABLE, Frame.ABSENT);
    } else {
      section(Frame.UNAVAILABLE, unavailable.getBytes(StandardCharsets.UTF_8));
    }
    end();
  }

  void quarantine(
      Coordinates at,
      ErrorCode code,
      String detail,
      byte[] digest,
      long timestampMillis,
      byte @Nullable [] key,
      byte @Nullable [] value) {
    byte[] detailBytes = detail.getBytes(StandardCharsets.UTF_8);
    begin(
        Frame.Type.QUARANTINE,
        at,
        digest.length
            + detailBytes.length
            + (key == null ? 0 : key.length)
            + (value == null ? 0 : value.length));
    putInt(Frame.CODE, code.ordinal());
    putLong(Frame.TS, timestampMillis);
    section(Frame.DIGEST, digest);
    section(Frame.DETAIL, detailBytes);
    section(Frame.RAW_KEY, key);
    section(Frame.RAW_VALUE, value);
    end();
  }

  /** A frame that is about the target, not about one record. */
  void signal(Frame.Type type, int target, @Nullable ErrorCode code, byte[] body) {
    begin(type, new Coordinates(target, 0, 0, 0), body.length);
    putInt(Frame.CODE, code == null ? 0 : code.ordinal());
    section(Frame.BODY, body);
    end();
  }

  /** Takes one full chunk, or null when none is full. */
  byte @Nullable [] pollFull() {
    return full.pollFirst();
  }

  /** Closes the chunk in work, when it holds anything. */
  void flush() {
    if (position > CHUNK_HEADER) {
      Frame.INT.set(chunk, 0, readerTask);
      Frame.INT.set(chunk, 4, chunks++);
      Frame.INT.set(chunk, 8, position);
      full.addLast(handOver ? chunk : Arrays.copyOf(chunk, position));
      if (handOver) {
        chunk = NO_CHUNK;
      }
      position = CHUNK_HEADER;
    }
  }

  private void begin(Frame.Type type, Coordinates at, int bodyBytes) {
    int most = Frame.HEADER + bodyBytes + 8 * Frame.SECTION_COUNT;
    if (position + most > ChunkPool.CHUNK_BYTES) {
      flush();
    }
    if (position + most > chunk.length) {
      makeRoom(position + most);
    }
    frameStart = position;
    Arrays.fill(chunk, frameStart, frameStart + Frame.HEADER, (byte) 0);
    chunk[frameStart + Frame.TYPE] = (byte) type.ordinal();
    putInt(Frame.TARGET, at.target());
    putInt(Frame.TOPIC, at.topic());
    putInt(Frame.PARTITION, at.partition());
    putLong(Frame.OFFSET, at.offset());
    position += Frame.HEADER;
  }

  /** A frame that is larger than a chunk gets one of its own, which is not pooled later. */
  private void makeRoom(int bytes) {
    if (handOver) {
      chunk = bytes <= ChunkPool.CHUNK_BYTES ? ChunkPool.SHARED.take() : new byte[bytes];
    } else {
      int larger = Math.min(ChunkPool.CHUNK_BYTES, Math.max(4096, 4 * chunk.length));
      chunk = Arrays.copyOf(chunk, Math.max(bytes, larger));
    }
  }

  private void end() {
    putInt(Frame.LENGTH, position - frameStart);
  }

  private int optional(int flag, int place, @Nullable Long value) {
    if (value == null) {
      return 0;
    }
    putLong(place, value);
    return flag;
  }

  private static int bytes(@Nullable UTF8String text) {
    return text == null ? 0 : text.numBytes();
  }

  private void section(int section, UnsafeRow row) {
    int length = row.getSizeInBytes();
    putInt(Frame.SECTIONS + 4 * section, length);
    Platform.copyMemory(
        row.getBaseObject(),
        row.getBaseOffset(),
        chunk,
        (long) Platform.BYTE_ARRAY_OFFSET + position,
        length);
    advance(length);
  }

  private void section(int section, @Nullable UTF8String text) {
    putInt(Frame.SECTIONS + 4 * section, text == null ? Frame.ABSENT : text.numBytes());
    if (text != null) {
      text.writeToMemory(chunk, (long) Platform.BYTE_ARRAY_OFFSET + position);
      advance(text.numBytes());
    }
  }

  private void section(int section, byte @Nullable [] body) {
    putInt(Frame.SECTIONS + 4 * section, body == null ? Frame.ABSENT : body.length);
    if (body != null) {
      System.arraycopy(body, 0, chunk, position, body.length);
      advance(body.length);
    }
  }

  private void advance(int length) {
    int padded = Frame.padded(length);
    Arrays.fill(chunk, position + length, position + padded, (byte) 0);
    position += padded;
  }

  private void putInt(int place, int value) {
    Frame.INT.set(chunk, frameStart + place, value);
  }

  private void putLong(int place, long value) {
    Frame.LONG.set(chunk, frameStart + place, value);
  }
}
