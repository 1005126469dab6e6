package io.onceberg.keystore.keyfile;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.parquet.column.values.bloomfilter.XxHash;

/**
 * Hashes of values as Parquet's bloom filters take them: xxHash64 with seed 0 of the plain encoding
 * (<a href="https://parquet.apache.org/docs/file-format/bloomfilter/">specification</a>). {@code
 * BlockSplitBloomFilter.hash} gives the same and copies each value first. Used by one thread.
 */
final class ValueHash {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final XxHash hash = new XxHash();
  private final byte[] eight = new byte[Long.BYTES];
  private final byte[] four = new byte[Integer.BYTES];

  long of(byte[] value) {
    return hash.hashBytes(value);
  }

  long of(long value) {
    LONGS.set(eight, 0, value);
    return hash.hashBytes(eight);
  }

  long of(int value) {
    INTS.set(four, 0, value);
    return hash.hashBytes(four);
  }
}
