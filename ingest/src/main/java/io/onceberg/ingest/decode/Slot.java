package io.onceberg.ingest.decode;

import java.math.BigDecimal;
import org.apache.iceberg.types.Type;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeWriter;

/**
 * A table column's side of a conversion: takes values in a few plain forms and writes those that
 * the column holds exactly. What it cannot hold it refuses; it never rounds, cuts or wraps.
 */
abstract class Slot {
  final Type type;

  Slot(Type type) {
    this.type = type;
  }

  void putNull(UnsafeWriter out, int at) {
    out.setNull8Bytes(at);
  }

  void putBoolean(UnsafeWriter out, int at, boolean value) {
    throw RefusedValue.incompatible("a boolean", type);
  }

  void putInteger(UnsafeWriter out, int at, long value) {
    throw RefusedValue.incompatible("an integer", type);
  }

  void putFloat(UnsafeWriter out, int at, float value) {
    putDouble(out, at, value);
  }

  void putDouble(UnsafeWriter out, int at, double value) {
    throw RefusedValue.incompatible("a floating-point number", type);
  }

  void putDecimal(UnsafeWriter out, int at, BigDecimal value) {
    throw RefusedValue.incompatible("a decimal", type);
  }

  /** A decimal of up to 18 digits: {@code unscaled * 10^-scale}. */
  void putDecimal(UnsafeWriter out, int at, long unscaled, int scale) {
    putDecimal(out, at, BigDecimal.valueOf(unscaled, scale));
  }

  /** UTF-8. */
  void putText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
    throw RefusedValue.incompatible("a text", type);
  }

  void putBytes(UnsafeWriter out, int at, byte[] bytes, int offset, int length) {
    throw RefusedValue.incompatible("bytes", type);
  }

  /** Days since the epoch. */
  void putDate(UnsafeWriter out, int at, long days) {
    throw RefusedValue.incompatible("a date", type);
  }

  /** Microseconds since the epoch. */
  void putTimestamp(UnsafeWriter out, int at, long micros) {
    throw RefusedValue.incompatible("a timestamp", type);
  }
}
