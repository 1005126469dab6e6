package io.onceberg.keystore.keyfile;

import java.util.Arrays;
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter;
import org.apache.parquet.column.values.bloomfilter.BloomFilter;

/**
 * Collects the hashes of a row group and makes a bloom filter of just the size that they need:
 * about three false positives in ten thousand. A file of a batch gets fewer than one in thirty
 * thousand: a lookup meets many of those, each false positive costs the reading of a page, and
 * after some hours they are merged anyway.
 */
final class FilterBuilder {
  private static final int BITS_A_VALUE = 22;
  private static final int BITS_OF_FEW = 33;
  private static final int BLOCK_BITS = 256;
  private static final int BLOCK_BYTES = BLOCK_BITS / Byte.SIZE;

  private final ValueHash hash = new ValueHash();
  private long[] hashes = new long[1 << 10];
  private int count;

  void add(long value) {
    append(hash.of(value));
  }

  void add(int value) {
    append(hash.of(value));
  }

  void add(byte[] value) {
    append(hash.of(value));
  }

  private void append(long hash) {
    if (count == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * count);
    }
    hashes[count++] = hash;
  }

  /**
   * The filter of what was added since the last one.
   *
   * @param few whether the file is a small one
   */
  BloomFilter finish(boolean few) {
    long bits = (long) count * (few ? BITS_OF_FEW : BITS_A_VALUE);
    long blocks = Math.max(1, (bits + BLOCK_BITS - 1) / BLOCK_BITS);
    BlockSplitBloomFilter filter =
        new BlockSplitBloomFilter(new byte[Math.toIntExact(blocks * BLOCK_BYTES)]);
    for (int i = 0; i < count; i++) {
      filter.insertHash(hashes[i]);
    }
    count = 0;
    return filter;
  }
}
