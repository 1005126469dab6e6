package io.onceberg.ingest.decode;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeWriter;

/**
 * A column's values in JSON without a schema, where only the table says what a value should be.
 *
 * <p>What can mean two things is refused rather than guessed: a number is a date only as days, and
 * a timestamp only where it must be microseconds (as milliseconds it would lie beyond the year
 * 9999); a decimal column takes a number, a plain decimal text, or base64, but no text that could
 * be both of the latter.
 */
final class InferredCell extends Cell {
  private static final long BEYOND_YEAR_9999_MILLIS = 253_402_300_800_000L;
  private static final int BASE64_GROUP = 4;

  private final Type.TypeID column;

  private InferredCell(Slot slot) {
    super(slot);
    this.column = slot.type.typeId();
  }

  static Cell of(Type column) {
    return column.isPrimitiveType()
        ? new InferredCell(Slots.of(column))
        : NestedCells.of(null, column);
  }

  @Override
  boolean exactFractions() {
    return column == Type.TypeID.DECIMAL;
  }

  @Override
  void ofBoolean(UnsafeWriter out, int at, boolean value) {
    slot.putBoolean(out, at, value);
  }

  @Override
  void ofInteger(UnsafeWriter out, int at, long value) {
    switch (column) {
      case DATE -> slot.putDate(out, at, value);
      case TIMESTAMP -> {
        if (value < BEYOND_YEAR_9999_MILLIS) {
          throw RefusedValue.outOfRange(value + " (of an unknown unit)", slot.type.toString());
        }
        slot.putTimestamp(out, at, value);
      }
      default -> slot.putInteger(out, at, value);
    }
  }

  @Override
  void ofDouble(UnsafeWriter out, int at, double value) {
    slot.putDouble(out, at, value);
  }

  @Override
  void ofDecimal(UnsafeWriter out, int at, BigDecimal value) {
    slot.putDecimal(out, at, value);
  }

  @Override
  void ofText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
    switch (column) {
      case BINARY -> ofBase64(out, at, text, offset, length);
      case DECIMAL -> ofDecimalText(out, at, text, offset, length);
      case FLOAT, DOUBLE -> ofWord(out, at, text, offset, length);
      default -> slot.putText(out, at, text, offset, length);
    }
  }

  /** A nested value in a text column stays the JSON that it was. */
  @Override
  void ofNested(UnsafeWriter out, int at, Object value) {
    if (column != Type.TypeID.STRING || !(value instanceof JsonNode)) {
      throw unexpected("a nested value");
    }
    byte[] json = value.toString().getBytes(StandardCharsets.UTF_8);
    slot.putText(out, at, json, 0, json.length);
  }

  private void ofBase64(UnsafeWriter out, int at, byte[] text, int offset, int length) {
    byte[] bytes = decoded(text, offset, length);
    slot.putBytes(out, at, bytes, 0, bytes.length);
  }

  private byte[] decoded(byte[] text, int offset, int length) {
    try {
      return base64(text, offset, length);
    } catch (RefusedValue e) {
      throw RefusedValue.outOfRange(
          "'" + new String(text, offset, length, StandardCharsets.UTF_8) + "'",
          slot.type.toString());
    }
  }

  private void ofDecimalText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
    boolean digitsOnly = length > 0;
    boolean plain = length > 0;
    for (int i = offset; i < offset + length; i++) {
      boolean digit = text[i] >= '0' && text[i] <= '9';
      digitsOnly &= digit;
      plain &= digit || text[i] == '.' || text[i] == '-';
    }
    if (digitsOnly && length % BASE64_GROUP == 0) {
      throw RefusedValue.outOfRange(
          "'%s' (digits or base64)"
              .formatted(new String(text, offset, length, StandardCharsets.US_ASCII)),
          slot.type.toString());
    }
    if (plain) {
      slot.putText(out, at, text, offset, length);
      return;
    }
    byte[] unscaled = decoded(text, offset, length);
    if (unscaled.length == 0) {
      throw RefusedValue.outOfRange("''", slot.type.toString());
    }
    int scale = ((Types.DecimalType) slot.type).scale();
    slot.putDecimal(out, at, new BigDecimal(new BigInteger(unscaled), scale));
  }

  private void ofWord(UnsafeWriter out, int at, byte[] text, int offset, int length) {
    switch (new String(text, offset, length, StandardCharsets.UTF_8)) {
      case "NaN" -> slot.putDouble(out, at, Double.NaN);
      case "Infinity" -> slot.putDouble(out, at, Double.POSITIVE_INFINITY);
      case "-Infinity" -> slot.putDouble(out, at, Double.NEGATIVE_INFINITY);
      default -> throw unexpected("a text");
    }
  }
}
