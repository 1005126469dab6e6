package io.onceberg.keystore.keyfile;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * A dictionary for columns of few values in one row group. Gives up for the rest of the row group
 * at the first value too many; pages that were coded before stay as they are.
 */
final class ShortDictionary {
  private static final int MOST = 64;

  private final List<byte[]> values = new ArrayList<>();
  private final Map<Binary, Integer> places = new HashMap<>();
  private int[] codes = {};
  private int count;
  private boolean full;
  private boolean used;

  /** Codes values; false when there are too many different ones. */
  boolean encode(byte[][] page, int length) {
    if (full) {
      return false;
    }
    if (codes.length < length) {
      codes = new int[length];
    }
    count = length;
    byte[] last = {};
    int lastCode = -1;
    for (int i = 0; i < length; i++) {
      if (lastCode < 0 || !Arrays.equals(last, page[i])) {
        last = page[i];
        lastCode = code(last);
        if (lastCode < 0) {
          full = true;
          return false;
        }
      }
      codes[i] = lastCode;
    }
    used = true;
    return true;
  }

  private int code(byte[] value) {
    Binary key = Binary.fromConstantByteArray(value);
    Integer known = places.get(key);
    if (known != null) {
      return known;
    }
    if (values.size() == MOST) {
      return -1;
    }
    places.put(key, values.size());
    values.add(value);
    return values.size() - 1;
  }

  /** The codes of the last page. */
  BytesInput codes() throws IOException {
    int width = BytesUtils.getWidthFromMaxInt(MOST - 1);
    RunLengthBitPackingHybridEncoder encoder =
        new RunLengthBitPackingHybridEncoder(
            width, 1 << 10, 1 << 20, HeapByteBufferAllocator.getInstance());
    for (int i = 0; i < count; i++) {
      encoder.writeInt(codes[i]);
    }
    return BytesInput.concat(BytesInput.from(new byte[] {(byte) width}), encoder.toBytes());
  }

  boolean isUsed() {
    return used;
  }

  DictionaryPage page(PrimitiveType type) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    boolean prefixed = type.getPrimitiveTypeName() == PrimitiveTypeName.BINARY;
    for (byte[] value : values) {
      if (prefixed) {
        out.writeBytes(BytesUtils.intToBytes(value.length));
      }
      out.writeBytes(value);
    }
    return new DictionaryPage(BytesInput.from(out.toByteArray()), values.size(), Encoding.PLAIN);
  }

  void clear() {
    values.clear();
    places.clear();
    full = false;
    used = false;
  }
}
