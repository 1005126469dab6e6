package io.onceberg.ingest.decode;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeWriter;
import org.jspecify.annotations.Nullable;

/**
 * One source column's values on their way into one table column. A value comes in the form its
 * encoding gives it (an integer, UTF-8 text, bytes, ...); the cell knows what it means and its
 * {@link Slot} what the column holds. All encodings end here, so they cannot disagree.
 */
abstract class Cell {
  final Slot slot;

  Cell(Slot slot) {
    this.slot = slot;
  }

  /** Whether a fraction in JSON must keep all its digits. */
  boolean exactFractions() {
    return false;
  }

  /** Whether text in JSON stands for bytes. */
  boolean base64InJson() {
    return false;
  }

  final void ofNull(UnsafeWriter out, int at) {
    slot.putNull(out, at);
  }

  void ofBoolean(UnsafeWriter out, int at, boolean value) {
    throw unexpected("a boolean");
  }

  void ofInteger(UnsafeWriter out, int at, long value) {
    throw unexpected("an integer");
  }

  void ofDouble(UnsafeWriter out, int at, double value) {
    throw unexpected("a floating-point number");
  }

  /** A number of any size, where the encoding has one. */
  void ofDecimal(UnsafeWriter out, int at, BigDecimal value) {
    throw unexpected("a decimal");
  }

  void ofText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
    throw unexpected("a text");
  }

  void ofBytes(UnsafeWriter out, int at, byte[] bytes, int offset, int length) {
    throw unexpected("bytes");
  }

  /** A Connect logical date, timestamp or time of day, all of which are milliseconds. */
  void ofLogical(UnsafeWriter out, int at, long millis) {
    throw unexpected("a date");
  }

  /** A list, map or struct: as Connect has them, as a Java map for a struct, or as a JSON node. */
  void ofNested(UnsafeWriter out, int at, Object value) {
    throw unexpected("a nested value");
  }

  /** Any Java form of a value. */
  final void of(UnsafeWriter out, int at, @Nullable Object value) {
    if (value == null) {
      ofNull(out, at);
    } else if (value instanceof JsonNode node) {
      ofJson(out, at, node);
    } else if (value instanceof Boolean flag) {
      ofBoolean(out, at, flag);
    } else if (value instanceof Float || value instanceof Double) {
      ofDouble(out, at, ((Number) value).doubleValue());
    } else if (value instanceof BigDecimal decimal) {
      ofDecimal(out, at, decimal);
    } else if (value instanceof BigInteger integer) {
      ofDecimal(out, at, new BigDecimal(integer));
    } else if (value instanceof Number number) {
      ofInteger(out, at, number.longValue());
    } else if (value instanceof CharSequence text) {
      byte[] utf8 = JsonTokens.utf8(text.toString());
      ofText(out, at, utf8, 0, utf8.length);
    } else if (value instanceof byte[] bytes) {
      ofBytes(out, at, bytes, 0, bytes.length);
    } else if (value instanceof ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      ofBytes(out, at, bytes, 0, bytes.length);
    } else if (value instanceof Date date) {
      ofLogical(out, at, date.toInstant().toEpochMilli());
    } else {
      ofNested(out, at, value);
    }
  }

  private void ofJson(UnsafeWriter out, int at, JsonNode node) {
    switch (node.getNodeType()) {
      case NULL, MISSING -> ofNull(out, at);
      case BOOLEAN -> ofBoolean(out, at, node.booleanValue());
      case NUMBER -> ofJsonNumber(out, at, node);
      case STRING -> ofJsonText(out, at, node.textValue());
      default -> ofNested(out, at, node);
    }
  }

  private void ofJsonNumber(UnsafeWriter out, int at, JsonNode node) {
    if (node.isIntegralNumber() && node.canConvertToLong()) {
      ofInteger(out, at, node.longValue());
    } else if (node.isIntegralNumber()
        || exactFractions()
        || Double.isInfinite(node.doubleValue())) {
      ofDecimal(out, at, node.decimalValue());
    } else {
      ofDouble(out, at, node.doubleValue());
    }
  }

  private void ofJsonText(UnsafeWriter out, int at, String text) {
    byte[] utf8 = JsonTokens.utf8(text);
    if (base64InJson()) {
      byte[] bytes = base64(utf8, 0, utf8.length);
      ofBytes(out, at, bytes, 0, bytes.length);
    } else {
      ofText(out, at, utf8, 0, utf8.length);
    }
  }

  static byte[] base64(byte[] text, int offset, int length) {
    try {
      return Base64.getDecoder().decode(Arrays.copyOfRange(text, offset, offset + length));
    } catch (IllegalArgumentException e) {
      throw RefusedValue.undecodable(
          "not base64: '%s'".formatted(new String(text, offset, length, StandardCharsets.UTF_8)));
    }
  }

  final RefusedValue unexpected(String value) {
    return RefusedValue.incompatible(value, slot.type);
  }
}
