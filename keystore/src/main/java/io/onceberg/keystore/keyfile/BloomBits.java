package io.onceberg.keystore.keyfile;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.parquet.column.values.bloomfilter.BloomFilter;

/** The bits of one of Parquet's split-block bloom filters. Safe for many threads. */
final class BloomBits {
  private static final int WORDS = 8;
  private static final int AT_ONCE = 64;
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
   * The places of those hashes whose value may have been added, in order.
   *
   * <p>Filters are larger than a processor's cache, so nearly each hash waits for memory. A loop
   * that does little else than fetch has many of those reads under way at once; what was fetched is
   * looked at afterwards. Of the values that were not added, 3 % have the first three bits.
   */
  int[] mayHold(long[] hashes, int from, int until) {
    int[] places = new int[until - from];
    int[] blocks = new int[AT_ONCE];
    int[] fetched = new int[AT_ONCE];
    int all = words.length / WORDS;
    int count = 0;
    for (int start = from; start < until; start += AT_ONCE) {
      int n = Math.min(AT_ONCE, until - start);
      for (int i = 0; i < n; i++) {
        int block = (int) (((hashes[start + i] >>> Integer.SIZE) * all) >>> Integer.SIZE) * WORDS;
        blocks[i] = block;
        fetched[i] = words[block];
      }
      for (int i = 0; i < n; i++) {
        int key = (int) hashes[start + i];
        int first = bit(fetched[i], 0, key) & word(blocks[i], 1, key) & word(blocks[i], 2, key);
        if ((first & 1) != 0 && hasRest(blocks[i], key)) {
          places[count++] = start + i;
        }
      }
    }
    return Arrays.copyOf(places, count);
  }

  private boolean hasRest(int block, int key) {
    for (int i = 3; i < WORDS; i++) {
      if ((word(block, i, key) & 1) == 0) {
        return false;
      }
    }
    return true;
  }

  /** A word of a block, the bit that is looked for moved to its end. */
  private int word(int from, int i, int key) {
    return bit(words[from + i], i, key);
  }

  private static int bit(int word, int i, int key) {
    return word >>> ((key * SALT[i]) >>> 27);
  }
}
