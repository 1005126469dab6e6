package io.onceberg.keystore.keyfile;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.parquet.column.values.bloomfilter.BloomFilter;

/** The bits of one of Parquet's split-block bloom filters. Safe for many threads. */
final class BloomBits {
  private static final int WORDS = 8;
  private static final int[] SALT = {
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31
  };

  private final int[] words;

  private BloomBits(int[] words) {
    this.words = words;
  }

  static BloomBits of(BloomFilter filter) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(filter.getBitsetSize());
    filter.writeTo(bytes);
    int[] words = new int[bytes.size() / Integer.BYTES];
    ByteBuffer.wrap(bytes.toByteArray()).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words);
    return new BloomBits(words);
  }

  long weight() {
    return (long) words.length * Integer.BYTES;
  }

  /**
   * False only when no value of this hash was added. The first bits are looked at together: of the
   * values that were not added 3 % have three of them, but 30 % have the first, and to leave there
   * is a jump that processors often guess wrong.
   */
  boolean mayHold(long hash) {
    int blocks = words.length / WORDS;
    int from = (int) (((hash >>> Integer.SIZE) * blocks) >>> Integer.SIZE) * WORDS;
    int key = (int) hash;
    int first = word(from, 0, key) & word(from, 1, key) & word(from, 2, key);
    if ((first & 1) == 0) {
      return false;
    }
    for (int i = 3; i < WORDS; i++) {
      if ((word(from, i, key) & 1) == 0) {
        return false;
      }
    }
    return true;
  }

  /** A word of a block, the bit that is looked for moved to its end. */
  private int word(int from, int i, int key) {
    return words[from + i] >>> ((key * SALT[i]) >>> 27);
  }
}
