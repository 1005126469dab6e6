package io.onceberg.ingest.decode;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Puts {@code name.db.schema.table} together, whatever order its parts come in. Most records repeat
 * the one before, whose text is then handed out again.
 */
final class SourceName {
  static final int NAME = 0;
  static final int DATABASE = 1;
  static final int SCHEMA = 2;
  static final int TABLE = 3;

  private static final int PARTS = 4;

  private final byte[][] parts = new byte[PARTS][64];
  private final int[] lengths = new int[PARTS];
  private byte[] joined = new byte[256];
  private byte[] lastBytes = new byte[0];
  private UTF8String last = UTF8String.EMPTY_UTF8;

  void clear() {
    Arrays.fill(lengths, -1);
  }

  void put(int part, byte[] text, int offset, int length) {
    if (parts[part].length < length) {
      parts[part] = new byte[2 * length];
    }
    System.arraycopy(text, offset, parts[part], 0, length);
    lengths[part] = length;
  }

  void put(int part, @Nullable Object text) {
    if (text instanceof CharSequence) {
      byte[] utf8 = text.toString().getBytes(StandardCharsets.UTF_8);
      put(part, utf8, 0, utf8.length);
    }
  }

  void remove(int part) {
    lengths[part] = -1;
  }

  /** Parts that are absent leave no dot; null when all are. */
  @Nullable UTF8String join() {
    int total = 0;
    for (int i = 0; i < PARTS; i++) {
      total = lengths[i] < 0 ? total : append(i, total);
    }
    if (total == 0) {
      return null;
    }
    if (!Arrays.equals(joined, 0, total, lastBytes, 0, lastBytes.length)) {
      lastBytes = Arrays.copyOf(joined, total);
      last = UTF8String.fromBytes(lastBytes);
    }
    return last;
  }

  private int append(int part, int at) {
    int length = lengths[part];
    if (joined.length < at + length + 1) {
      joined = Arrays.copyOf(joined, 2 * (at + length + 1));
    }
    int from = at;
    if (at > 0) {
      joined[from++] = '.';
    }
    System.arraycopy(parts[part], 0, joined, from, length);
    return from + length;
  }
}
