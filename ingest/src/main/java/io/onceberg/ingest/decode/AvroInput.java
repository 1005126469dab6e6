package io.onceberg.ingest.decode;

/** Avro's binary encoding over an array. Refuses what ends early or is no valid number. */
final class AvroInput {
  private static final int INT_BYTES = 5;
  private static final int LONG_BYTES = 10;

  private byte[] bytes = new byte[0];
  private int at;

  void start(byte[] input, int offset) {
    bytes = input;
    at = offset;
  }

  byte[] bytes() {
    return bytes;
  }

  int position() {
    return at;
  }

  void moveTo(int position) {
    at = position;
  }

  /** Moves over {@code length} bytes and returns where they begin. */
  int take(long length) {
    if (length < 0 || length > bytes.length - at) {
      throw early();
    }
    int from = at;
    at += (int) length;
    return from;
  }

  boolean readBoolean() {
    return bytes[take(1)] == 1;
  }

  int readInt() {
    int raw = 0;
    for (int i = 0; i < INT_BYTES; i++) {
      byte b = next();
      raw |= (b & 0x7F) << (7 * i);
      if (b >= 0) {
        return (raw >>> 1) ^ -(raw & 1);
      }
    }
    throw RefusedValue.undecodable("not Avro: an integer of more than 32 bits");
  }

  long readLong() {
    long raw = 0;
    for (int i = 0; i < LONG_BYTES; i++) {
      byte b = next();
      raw |= (long) (b & 0x7F) << (7 * i);
      if (b >= 0) {
        return (raw >>> 1) ^ -(raw & 1);
      }
    }
    throw RefusedValue.undecodable("not Avro: an integer of more than 64 bits");
  }

  float readFloat() {
    int from = take(Float.BYTES);
    int bits = 0;
    for (int i = Float.BYTES - 1; i >= 0; i--) {
      bits = (bits << Byte.SIZE) | (bytes[from + i] & 0xFF);
    }
    return Float.intBitsToFloat(bits);
  }

  double readDouble() {
    int from = take(Double.BYTES);
    long bits = 0;
    for (int i = Double.BYTES - 1; i >= 0; i--) {
      bits = (bits << Byte.SIZE) | (bytes[from + i] & 0xFF);
    }
    return Double.longBitsToDouble(bits);
  }

  /** The number of items in the next block of an array or map; 0 at its end. */
  long readBlock() {
    long count = readLong();
    if (count < 0) {
      readLong(); // the block's size in bytes
      count = -count;
    }
    if (count < 0 || count > bytes.length) {
      throw early();
    }
    return count;
  }

  private byte next() {
    if (at >= bytes.length) {
      throw early();
    }
    return bytes[at++];
  }

  private static RefusedValue early() {
    return RefusedValue.undecodable("not Avro: the bytes end early");
  }
}
