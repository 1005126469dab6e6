package io.onceberg.ingest.decode;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Prints keys as compact JSON in the order of the key's columns. It prints the converted key, so a
 * key reads the same however it was encoded: dates as ISO text, decimals as numbers, bytes as
 * base64.
 */
final class KeyText {
  private static final byte[] NULL = ascii("null");

  private final Types.NestedField[] fields;
  private final byte[][] labels;
  private byte[] out = new byte[128];
  private int length;

  KeyText(Types.StructType layout) {
    fields = layout.fields().toArray(Types.NestedField[]::new);
    labels = new byte[fields.length][];
    for (int i = 0; i < fields.length; i++) {
      length = 0;
      append((byte) (i == 0 ? '{' : ','));
      quoted(fields[i].name().getBytes(StandardCharsets.UTF_8));
      append((byte) ':');
      labels[i] = Arrays.copyOf(out, length);
    }
  }

  UTF8String of(UnsafeRow key) {
    length = 0;
    for (int i = 0; i < fields.length; i++) {
      append(labels[i]);
      if (key.isNullAt(i)) {
        append(NULL);
      } else {
        value(key, i, fields[i].type());
      }
    }
    append((byte) '}');
    return UTF8String.fromBytes(Arrays.copyOf(out, length));
  }

  private void value(UnsafeRow key, int at, Type type) {
    switch (type.typeId()) {
      case BOOLEAN -> append(ascii(String.valueOf(key.getBoolean(at))));
      case INTEGER -> number(key.getInt(at));
      case LONG -> number(key.getLong(at));
      case FLOAT -> floating(key.getFloat(at), String.valueOf(key.getFloat(at)));
      case DOUBLE -> floating(key.getDouble(at), String.valueOf(key.getDouble(at)));
      case DECIMAL -> append(ascii(decimal(key, at, (Types.DecimalType) type).toPlainString()));
      case STRING, UUID -> quoted(key.getUTF8String(at).getBytes());
      case BINARY -> quoted(Base64.getEncoder().encode(key.getBinary(at)));
      case DATE -> quoted(ascii(LocalDate.ofEpochDay(key.getInt(at)).toString()));
      case TIMESTAMP -> quoted(ascii(timestamp(key.getLong(at), (Types.TimestampType) type)));
      default -> quoted(ascii(type.toString()));
    }
  }

  private static BigDecimal decimal(UnsafeRow key, int at, Types.DecimalType type) {
    return key.getDecimal(at, type.precision(), type.scale()).toJavaBigDecimal();
  }

  private static String timestamp(long micros, Types.TimestampType type) {
    LocalDateTime time =
        LocalDateTime.ofEpochSecond(
            Math.floorDiv(micros, 1_000_000L),
            (int) Math.floorMod(micros, 1_000_000L) * 1_000,
            ZoneOffset.UTC);
    return type.shouldAdjustToUTC() ? time.atOffset(ZoneOffset.UTC).toString() : time.toString();
  }

  private void floating(double value, String text) {
    if (Double.isFinite(value)) {
      append(ascii(text));
    } else {
      quoted(ascii(text));
    }
  }

  private void number(long value) {
    if (value <= 0) {
      append(ascii(Long.toString(value)));
      return;
    }
    int digits = 1;
    for (long rest = value; rest >= 10; rest /= 10) {
      digits++;
    }
    reserve(digits);
    long rest = value;
    for (int at = length + digits - 1; at >= length; at--) {
      out[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
  }

  private void quoted(byte[] utf8) {
    append((byte) '"');
    for (byte b : utf8) {
      if (b == '"' || b == '\\') {
        append((byte) '\\');
        append(b);
      } else if (b >= 0 && b < ' ') {
        append(ascii("\\u%04x".formatted((int) b)));
      } else {
        append(b);
      }
    }
    append((byte) '"');
  }

  private void append(byte[] bytes) {
    reserve(bytes.length);
    System.arraycopy(bytes, 0, out, length, bytes.length);
    length += bytes.length;
  }

  private void append(byte b) {
    reserve(1);
    out[length++] = b;
  }

  private void reserve(int bytes) {
    if (out.length < length + bytes) {
      out = Arrays.copyOf(out, 2 * (length + bytes));
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
