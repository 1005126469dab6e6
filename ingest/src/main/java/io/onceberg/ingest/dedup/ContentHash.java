package io.onceberg.ingest.dedup;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The 128-bit hash of a row's content or of its business key.
 *
 * <p>It is stored in keys tables and compared with the hashes of events that are replayed months
 * later, when the table may have more and wider columns. So it depends on names and values only:
 * null columns do not count, the order of columns does not count, integers count as 64-bit, floats
 * as double, decimals by value without trailing zeros. This rule is part of versions 1 and 2 of the
 * identity; another rule needs another version.
 */
final class ContentHash {
  private static final long SEED_HIGH = 0x6f6e636562657267L;
  private static final long SEED_LOW = 0x1d872b41b35e2a7cL;

  private final DataType[] types;
  private final long[] nameHigh;
  private final long[] nameLow;
  private long high;
  private long low;

  ContentHash(StructType columns) {
    StructField[] fields = columns.fields();
    types = new DataType[fields.length];
    nameHigh = new long[fields.length];
    nameLow = new long[fields.length];
    for (int i = 0; i < fields.length; i++) {
      types[i] = fields[i].dataType();
      nameHigh[i] = hashName(fields[i].name(), SEED_HIGH);
      nameLow[i] = hashName(fields[i].name(), SEED_LOW);
    }
  }

  /** Starts a new hash. */
  ContentHash reset() {
    high = 0;
    low = 0;
    return this;
  }

  /** Adds one row; several rows may be added under different roles (before, after). */
  ContentHash add(InternalRow row, long role) {
    long rowHigh = 0;
    long rowLow = 0;
    for (int i = 0; i < types.length; i++) {
      if (!row.isNullAt(i)) {
        rowHigh += hash(row, i, types[i], nameHigh[i]);
        rowLow += hash(row, i, types[i], nameLow[i]);
      }
    }
    high += XXH64.hashLong(rowHigh, role);
    low += XXH64.hashLong(rowLow, ~role);
    return this;
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  /** 64 bits that all of it went into. */
  long folded() {
    return folded(high, low);
  }

  /** The same of a hash that was stored. */
  static long folded(long high, long low) {
    return high ^ Long.rotateLeft(low, 32);
  }

  private static long hashName(String name, long seed) {
    return hashBytes(name.getBytes(StandardCharsets.UTF_8), seed);
  }

  private static long hashBytes(byte[] bytes, long seed) {
    return XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, seed);
  }

  private static long hash(SpecializedGetters values, int ordinal, DataType type, long seed) {
    if (type instanceof StringType) {
      UTF8String text = values.getUTF8String(ordinal);
      return XXH64.hashUnsafeBytes(
          text.getBaseObject(), text.getBaseOffset(), text.numBytes(), seed);
    } else if (type instanceof LongType
        || type instanceof TimestampType
        || type instanceof TimestampNTZType) {
      return XXH64.hashLong(values.getLong(ordinal), seed);
    } else if (type instanceof IntegerType || type instanceof DateType) {
      return XXH64.hashLong(values.getInt(ordinal), seed);
    } else if (type instanceof DecimalType decimal) {
      return hashBytes(
          values
              .getDecimal(ordinal, decimal.precision(), decimal.scale())
              .toJavaBigDecimal()
              .stripTrailingZeros()
              .toString()
              .getBytes(StandardCharsets.UTF_8),
          seed);
    } else if (type instanceof BooleanType) {
      return XXH64.hashLong(values.getBoolean(ordinal) ? 1 : 0, seed);
    } else if (type instanceof DoubleType) {
      return XXH64.hashLong(Double.doubleToLongBits(values.getDouble(ordinal)), seed);
    } else if (type instanceof FloatType) {
      return XXH64.hashLong(Double.doubleToLongBits(values.getFloat(ordinal)), seed);
    } else if (type instanceof BinaryType) {
      return hashBytes(values.getBinary(ordinal), seed);
    } else if (type instanceof ShortType) {
      return XXH64.hashLong(values.getShort(ordinal), seed);
    } else if (type instanceof ByteType) {
      return XXH64.hashLong(values.getByte(ordinal), seed);
    }
    return hashNested(values, ordinal, type, seed);
  }

  private static long hashNested(SpecializedGetters values, int ordinal, DataType type, long seed) {
    if (type instanceof ArrayType array) {
      return hashArray(values.getArray(ordinal), array.elementType(), seed);
    } else if (type instanceof StructType struct) {
      return hashStruct(values.getStruct(ordinal, struct.size()), struct, seed);
    } else if (type instanceof MapType map) {
      return hashMap(values.getMap(ordinal), map, seed);
    }
    throw new IllegalStateException("no content hash for type " + type);
  }

  private static long hashArray(ArrayData array, DataType element, long seed) {
    long sum = XXH64.hashLong(array.numElements(), seed);
    for (int i = 0; i < array.numElements(); i++) {
      sum = sum * 31 + (array.isNullAt(i) ? 1 : hash(array, i, element, seed));
    }
    return XXH64.hashLong(sum, seed);
  }

  private static long hashStruct(InternalRow row, StructType struct, long seed) {
    StructField[] fields = struct.fields();
    long sum = 0;
    for (int i = 0; i < fields.length; i++) {
      if (!row.isNullAt(i)) {
        sum += hash(row, i, fields[i].dataType(), hashName(fields[i].name(), seed));
      }
    }
    return XXH64.hashLong(sum, seed);
  }

  private static long hashMap(MapData map, MapType type, long seed) {
    long sum = 0;
    for (int i = 0; i < map.numElements(); i++) {
      long key = hash(map.keyArray(), i, type.keyType(), seed);
      sum += map.valueArray().isNullAt(i) ? key : hash(map.valueArray(), i, type.valueType(), key);
    }
    return XXH64.hashLong(sum, seed);
  }
}
