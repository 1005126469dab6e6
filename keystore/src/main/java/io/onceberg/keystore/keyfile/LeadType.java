package io.onceberg.keystore.keyfile;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * How values of a lead column are compared: as signed 64-bit numbers, or as bytes in unsigned
 * order.
 *
 * <p>Both are the order of Parquet's bounds. A UUID is its 16 bytes (Iceberg orders UUIDs by signed
 * halves; its order is not asked). A decimal of more than 18 digits is sixteen bytes, big-endian
 * with the sign bit turned, so that decimals of any width and any physical form are compared alike.
 */
enum LeadType {
  NUMBER(true),
  SMALL_DECIMAL(true),
  BYTES(false),
  UUID_BYTES(false),
  WIDE_DECIMAL(false);

  private static final int WIDE = 16;
  private static final int MOST_DIGITS_OF_A_LONG = 18;

  private final boolean numeric;

  LeadType(boolean numeric) {
    this.numeric = numeric;
  }

  boolean numeric() {
    return numeric;
  }

  /** Whether a column of this type can lead a search. */
  static boolean leads(Type type) {
    return switch (type.typeId()) {
      case INTEGER, DATE, LONG, TIMESTAMP, DECIMAL, UUID, STRING, FIXED, BINARY -> true;
      default -> false;
    };
  }

  static LeadType of(Type type) {
    return switch (type.typeId()) {
      case INTEGER, DATE, LONG, TIMESTAMP -> NUMBER;
      case DECIMAL ->
          ((Types.DecimalType) type).precision() <= MOST_DIGITS_OF_A_LONG
              ? SMALL_DECIMAL
              : WIDE_DECIMAL;
      case UUID -> UUID_BYTES;
      case STRING, FIXED, BINARY -> BYTES;
      default -> throw new IllegalArgumentException("cannot lead a search: " + type);
    };
  }

  // ---- values of a batch

  long number(InternalRow row, int position, Type type) {
    return switch (type.typeId()) {
      case INTEGER, DATE -> row.getInt(position);
      case DECIMAL -> decimal(row, position, type).unscaledValue().longValueExact();
      default -> row.getLong(position);
    };
  }

  byte[] bytes(InternalRow row, int position, Type type) {
    return switch (this) {
      case UUID_BYTES -> uuidBytes(row.getUTF8String(position).toString());
      case WIDE_DECIMAL -> wide(decimal(row, position, type).unscaledValue());
      default ->
          type.typeId() == Type.TypeID.STRING
              ? row.getUTF8String(position).getBytes()
              : row.getBinary(position);
    };
  }

  private static BigDecimal decimal(InternalRow row, int position, Type type) {
    Types.DecimalType decimal = (Types.DecimalType) type;
    return row.getDecimal(position, decimal.precision(), decimal.scale()).toJavaBigDecimal();
  }

  static byte[] uuidBytes(String text) {
    UUID uuid = UUID.fromString(text);
    return ByteBuffer.allocate(WIDE)
        .putLong(uuid.getMostSignificantBits())
        .putLong(uuid.getLeastSignificantBits())
        .array();
  }

  private static byte[] wide(BigInteger unscaled) {
    byte[] two = unscaled.toByteArray();
    byte[] wide = new byte[WIDE];
    Arrays.fill(wide, (byte) (unscaled.signum() < 0 ? -1 : 0));
    System.arraycopy(two, 0, wide, WIDE - two.length, two.length);
    wide[0] ^= (byte) 0x80;
    return wide;
  }

  // ---- bounds in manifests

  long numberOfBound(byte[] bound, Type type) {
    Object value = Conversions.fromByteBuffer(type, ByteBuffer.wrap(bound));
    return value instanceof BigDecimal decimal
        ? decimal.unscaledValue().longValueExact()
        : ((Number) value).longValue();
  }

  byte[] bytesOfBound(byte[] bound) {
    return this == WIDE_DECIMAL ? wide(new BigInteger(bound)) : bound;
  }

  // ---- values and bounds in Parquet

  /** A number from Parquet's plain form. */
  static long numberOf(PrimitiveTypeName physical, byte[] plain) {
    ByteBuffer buffer = ByteBuffer.wrap(plain).order(ByteOrder.LITTLE_ENDIAN);
    return switch (physical) {
      case INT32 -> buffer.getInt();
      case INT64 -> buffer.getLong();
      default -> new BigInteger(plain).longValueExact();
    };
  }

  /** Comparable bytes from Parquet's plain form. */
  byte[] bytesOf(PrimitiveTypeName physical, byte[] plain) {
    return this == WIDE_DECIMAL ? wideOf(physical, plain) : plain;
  }

  private static byte[] wideOf(PrimitiveTypeName physical, byte[] plain) {
    return switch (physical) {
      case INT32, INT64 -> wide(BigInteger.valueOf(numberOf(physical, plain)));
      default -> wide(new BigInteger(plain));
    };
  }

  /** Comparable bytes of an unscaled number that Parquet stores as such. */
  static byte[] wideOf(long unscaled) {
    return wide(BigInteger.valueOf(unscaled));
  }

  static byte[] wideOf(byte[] bigEndian) {
    return wide(new BigInteger(bigEndian));
  }

  /** The number that {@link #wideOf} made comparable. */
  static BigInteger unscaled(byte[] wide) {
    byte[] two = wide.clone();
    two[0] ^= (byte) 0x80;
    return new BigInteger(two);
  }
}
