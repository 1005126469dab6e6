package io.onceberg.keystore.keyfile;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigDecimal;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.parquet.bytes.ByteBufferAllocator;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForInteger;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForLong;
import org.apache.parquet.column.values.plain.BooleanPlainValuesWriter;
import org.apache.parquet.column.values.plain.PlainValuesWriter;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Writes the pages of one column, a page of rows at a time.
 *
 * <p>Numbers are delta-packed: sorted positions take a byte or two, a column that never changes
 * nearly nothing. Bytes get a dictionary while they have few distinct values and lie as they are
 * once they have more, so that no column of mostly different values is hashed for nothing.
 */
final class LeafWriting {
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int SLAB = 4 << 10;
  private static final int MOST_PAGE_BYTES = 16 << 20;
  private static final ByteBufferAllocator HEAP = HeapByteBufferAllocator.getInstance();

  final ColumnDescriptor descriptor;
  private final Type type;
  private final int[] path;
  private final int[] widths;
  private final PrimitiveType physical;
  private final int level;
  private final boolean plainNumbers;
  private final ShortDictionary dictionary = new ShortDictionary();
  private final long[] numbers;
  private final byte[] levels;
  private final byte[][] bytes;
  private int present;

  /**
   * Takes room for a page.
   *
   * @param path places of the structs around the column, and of the column in the last of them
   * @param widths the number of fields of each of those structs
   * @param plainNumbers for numbers that have no order worth packing, such as hashes
   */
  LeafWriting(
      ColumnDescriptor descriptor,
      Type type,
      int[] path,
      int[] widths,
      int pageRows,
      boolean plainNumbers) {
    this.descriptor = descriptor;
    this.type = type;
    this.path = path;
    this.widths = widths;
    this.physical = descriptor.getPrimitiveType();
    this.level = descriptor.getMaxDefinitionLevel();
    this.plainNumbers = plainNumbers;
    this.levels = new byte[pageRows];
    this.numbers = new long[isBytes() ? 0 : pageRows];
    this.bytes = new byte[isBytes() ? pageRows : 0][];
  }

  private boolean isBytes() {
    PrimitiveTypeName name = physical.getPrimitiveTypeName();
    return name == PrimitiveTypeName.BINARY || name == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY;
  }

  // ---- taking values out of rows

  /** Takes the column out of rows. */
  void take(UnsafeRow[] rows, int count) {
    present = 0;
    int last = path.length - 1;
    for (int i = 0; i < count; i++) {
      InternalRow row = rows[i];
      int reached = 0;
      while (reached < last && !row.isNullAt(path[reached])) {
        row = row.getStruct(path[reached], widths[reached]);
        reached++;
      }
      if (reached < last || row.isNullAt(path[last])) {
        levels[i] = (byte) reached;
      } else {
        levels[i] = (byte) level;
        put(row, path[last]);
      }
    }
  }

  /** Takes a value that all rows have. */
  void takeConstant(long value, int count) {
    Arrays.fill(levels, 0, count, (byte) level);
    Arrays.fill(numbers, 0, count, value);
    present = count;
  }

  /** Takes numbers that lie beside the rows. */
  void takeNumbers(long[] values, int count) {
    Arrays.fill(levels, 0, count, (byte) level);
    System.arraycopy(values, 0, numbers, 0, count);
    present = count;
  }

  private void put(InternalRow row, int at) {
    switch (type.typeId()) {
      case LONG, TIMESTAMP -> numbers[present] = row.getLong(at);
      case INTEGER, DATE -> numbers[present] = row.getInt(at);
      case BOOLEAN -> numbers[present] = row.getBoolean(at) ? 1 : 0;
      case FLOAT -> numbers[present] = Float.floatToRawIntBits(row.getFloat(at));
      case DOUBLE -> numbers[present] = Double.doubleToRawLongBits(row.getDouble(at));
      case STRING -> bytes[present] = row.getUTF8String(at).getBytes();
      case UUID -> bytes[present] = LeadType.uuidBytes(row.getUTF8String(at).toString());
      case FIXED, BINARY -> bytes[present] = row.getBinary(at);
      case DECIMAL -> putDecimal(row, at, (Types.DecimalType) type);
      default -> throw new IllegalStateException("no column of a key file is " + type);
    }
    present++;
  }

  private void putDecimal(InternalRow row, int at, Types.DecimalType decimal) {
    BigDecimal value = row.getDecimal(at, decimal.precision(), decimal.scale()).toJavaBigDecimal();
    if (isBytes()) {
      bytes[present] = BytesLeads.bigEndian(value.unscaledValue(), physical.getTypeLength());
    } else {
      numbers[present] = value.unscaledValue().longValueExact();
    }
  }

  // ---- writing the page

  /** Writes what was taken as one page. */
  void write(PageWriter pages, int count) throws IOException {
    Statistics<?> statistics = Statistics.createStats(physical);
    statistics.incrementNumNulls(count - present);
    Encoding encoding;
    BytesInput values;
    if (present == 0) {
      encoding = Encoding.PLAIN;
      values = BytesInput.empty();
    } else if (isBytes()) {
      addBounds(statistics);
      encoding = dictionary.encode(bytes, present) ? Encoding.RLE_DICTIONARY : Encoding.PLAIN;
      values = encoding == Encoding.PLAIN ? plainBytes() : dictionary.codes();
    } else {
      addNumberBounds(statistics);
      ValuesWriter writer = numbersWriter();
      encoding = writer.getEncoding();
      values = writer.getBytes();
    }
    pages.writePageV2(
        count,
        count - present,
        count,
        BytesInput.empty(),
        levelBytes(count),
        encoding,
        values,
        statistics);
  }

  /** Ends a row group: the dictionary goes before its pages. */
  void finish(PageWriter pages) throws IOException {
    if (dictionary.isUsed()) {
      pages.writeDictionaryPage(dictionary.page(physical));
    }
    dictionary.clear();
  }

  private BytesInput levelBytes(int count) throws IOException {
    if (level == 0) {
      return BytesInput.empty();
    }
    RunLengthBitPackingHybridEncoder encoder =
        new RunLengthBitPackingHybridEncoder(
            BytesUtils.getWidthFromMaxInt(level), SLAB, MOST_PAGE_BYTES, HEAP);
    for (int i = 0; i < count; i++) {
      encoder.writeInt(levels[i]);
    }
    return encoder.toBytes();
  }

  private ValuesWriter numbersWriter() {
    switch (physical.getPrimitiveTypeName()) {
      case INT64 -> {
        ValuesWriter writer =
            plainNumbers
                ? new PlainValuesWriter(SLAB, MOST_PAGE_BYTES, HEAP)
                : new DeltaBinaryPackingValuesWriterForLong(SLAB, MOST_PAGE_BYTES, HEAP);
        for (int i = 0; i < present; i++) {
          writer.writeLong(numbers[i]);
        }
        return writer;
      }
      case INT32 -> {
        ValuesWriter writer =
            new DeltaBinaryPackingValuesWriterForInteger(SLAB, MOST_PAGE_BYTES, HEAP);
        for (int i = 0; i < present; i++) {
          writer.writeInteger((int) numbers[i]);
        }
        return writer;
      }
      case BOOLEAN -> {
        ValuesWriter writer = new BooleanPlainValuesWriter();
        for (int i = 0; i < present; i++) {
          writer.writeBoolean(numbers[i] != 0);
        }
        return writer;
      }
      default -> {
        return floating();
      }
    }
  }

  private ValuesWriter floating() {
    ValuesWriter writer = new PlainValuesWriter(SLAB, MOST_PAGE_BYTES, HEAP);
    boolean single = physical.getPrimitiveTypeName() == PrimitiveTypeName.FLOAT;
    for (int i = 0; i < present; i++) {
      if (single) {
        writer.writeFloat(Float.intBitsToFloat((int) numbers[i]));
      } else {
        writer.writeDouble(Double.longBitsToDouble(numbers[i]));
      }
    }
    return writer;
  }

  private BytesInput plainBytes() {
    int prefix = physical.getPrimitiveTypeName() == PrimitiveTypeName.BINARY ? Integer.BYTES : 0;
    int size = 0;
    for (int i = 0; i < present; i++) {
      size += prefix + bytes[i].length;
    }
    byte[] plain = new byte[size];
    int at = 0;
    for (int i = 0; i < present; i++) {
      byte[] value = bytes[i];
      if (prefix > 0) {
        INTS.set(plain, at, value.length);
      }
      System.arraycopy(value, 0, plain, at + prefix, value.length);
      at += prefix + value.length;
    }
    return BytesInput.from(plain);
  }

  private void addNumberBounds(Statistics<?> statistics) {
    switch (physical.getPrimitiveTypeName()) {
      case INT64, INT32, BOOLEAN -> {
        long least = numbers[0];
        long greatest = numbers[0];
        for (int i = 1; i < present; i++) {
          least = Math.min(least, numbers[i]);
          greatest = Math.max(greatest, numbers[i]);
        }
        add(statistics, least);
        add(statistics, greatest);
      }
      case FLOAT -> {
        for (int i = 0; i < present; i++) {
          statistics.updateStats(Float.intBitsToFloat((int) numbers[i]));
        }
      }
      default -> {
        for (int i = 0; i < present; i++) {
          statistics.updateStats(Double.longBitsToDouble(numbers[i]));
        }
      }
    }
  }

  private void add(Statistics<?> statistics, long number) {
    switch (physical.getPrimitiveTypeName()) {
      case INT64 -> statistics.updateStats(number);
      case INT32 -> statistics.updateStats((int) number);
      default -> statistics.updateStats(number != 0);
    }
  }

  private void addBounds(Statistics<?> statistics) {
    if (type.typeId() == Type.TypeID.DECIMAL) {
      for (int i = 0; i < present; i++) {
        statistics.updateStats(Binary.fromConstantByteArray(bytes[i]));
      }
      return;
    }
    byte[] least = bytes[0];
    byte[] greatest = bytes[0];
    for (int i = 1; i < present; i++) {
      if (Arrays.compareUnsigned(bytes[i], least) < 0) {
        least = bytes[i];
      } else if (Arrays.compareUnsigned(bytes[i], greatest) > 0) {
        greatest = bytes[i];
      }
    }
    statistics.updateStats(Binary.fromConstantByteArray(least));
    statistics.updateStats(Binary.fromConstantByteArray(greatest));
  }

  /** Whether this is the column at a place of the row itself. */
  boolean isAt(int place) {
    return path.length == 1 && path[0] == place;
  }

  // ---- hashes for the filter

  /** Adds the values of the page to a filter. */
  void addTo(FilterBuilder filter) {
    for (int i = 0; i < present; i++) {
      switch (physical.getPrimitiveTypeName()) {
        case INT64 -> filter.add(numbers[i]);
        case INT32 -> filter.add((int) numbers[i]);
        default -> filter.add(bytes[i]);
      }
    }
  }
}
