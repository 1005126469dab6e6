package io.onceberg.ingest.decode;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.iceberg.types.Type;
import org.apache.kafka.connect.data.Schema;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeWriter;

/** Makes the {@link Cell} for a Connect schema and a table column. */
final class Cells {
  private static final long MILLIS_PER_DAY = 86_400_000;
  private static final long MICROS_PER_MILLI = 1_000;
  private static final long NANOS_PER_MICRO = 1_000;

  private Cells() {}

  static Cell of(Schema source, Type column) {
    if (!column.isPrimitiveType()) {
      return NestedCells.of(source, column);
    }
    Slot slot = Slots.of(column);
    return switch (Meaning.of(source)) {
      case BOOLEAN -> new BooleanCell(slot);
      case INTEGER -> new IntegerCell(slot);
      case FLOAT -> new FloatCell(slot);
      case DOUBLE -> new DoubleCell(slot);
      case TEXT, UUID, ISO_DATE, ISO_TIMESTAMP, ZONED_TIMESTAMP -> new TextCell(slot);
      case BYTES -> new BytesCell(slot);
      case DECIMAL ->
          column.typeId() == Type.TypeID.STRING
              ? new DecimalTextCell(slot, ColumnTypes.scale(source))
              : new DecimalCell(slot, ColumnTypes.scale(source));
      case VARIABLE_DECIMAL -> new NestedCells.VariableDecimalCell(slot);
      case DATE -> new DateCell(slot);
      case TIMESTAMP_MILLIS -> new MillisCell(slot);
      case TIMESTAMP_MICROS -> new MicrosCell(slot);
      case TIMESTAMP_NANOS -> new NanosCell(slot);
      case TIME_MILLIS -> new TimeCell(slot, 1_000);
      case TIME_MICROS -> new TimeCell(slot, 1_000_000);
      case TIME_NANOS -> new TimeCell(slot, 1_000_000_000);
      case ISO_TIME -> new IsoTimeCell(slot);
      case LIST, MAP, STRUCT -> new IncompatibleCell(slot, source.type().name());
    };
  }

  /** A column of a type that no value of the source may enter; nulls may. */
  static final class IncompatibleCell extends Cell {
    private final String source;

    IncompatibleCell(Slot slot, String source) {
      super(slot);
      this.source = source;
    }

    private RefusedValue refused() {
      return RefusedValue.incompatible("a value of type " + source, slot.type);
    }

    @Override
    void ofBoolean(UnsafeWriter out, int at, boolean value) {
      throw refused();
    }

    @Override
    void ofInteger(UnsafeWriter out, int at, long value) {
      throw refused();
    }

    @Override
    void ofDouble(UnsafeWriter out, int at, double value) {
      throw refused();
    }

    @Override
    void ofDecimal(UnsafeWriter out, int at, BigDecimal value) {
      throw refused();
    }

    @Override
    void ofText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
      throw refused();
    }

    @Override
    void ofBytes(UnsafeWriter out, int at, byte[] bytes, int offset, int length) {
      throw refused();
    }

    @Override
    void ofLogical(UnsafeWriter out, int at, long millis) {
      throw refused();
    }

    @Override
    void ofNested(UnsafeWriter out, int at, Object value) {
      throw refused();
    }
  }

  private static final class BooleanCell extends Cell {
    BooleanCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofBoolean(UnsafeWriter out, int at, boolean value) {
      slot.putBoolean(out, at, value);
    }
  }

  private static final class IntegerCell extends Cell {
    IntegerCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofInteger(UnsafeWriter out, int at, long value) {
      slot.putInteger(out, at, value);
    }

    @Override
    void ofDecimal(UnsafeWriter out, int at, BigDecimal value) {
      slot.putDecimal(out, at, value);
    }
  }

  /** JSON has no form for what is not a number but a text. */
  private abstract static class FloatingCell extends Cell {
    FloatingCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofInteger(UnsafeWriter out, int at, long value) {
      ofDouble(out, at, (double) value);
    }

    @Override
    void ofDecimal(UnsafeWriter out, int at, BigDecimal value) {
      double nearest = value.doubleValue();
      if (Double.isInfinite(nearest)) {
        throw RefusedValue.outOfRange(value, slot.type.toString());
      }
      ofDouble(out, at, nearest);
    }

    @Override
    void ofText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
      String word = new String(text, offset, length, StandardCharsets.UTF_8);
      switch (word) {
        case "NaN" -> ofDouble(out, at, Double.NaN);
        case "Infinity" -> ofDouble(out, at, Double.POSITIVE_INFINITY);
        case "-Infinity" -> ofDouble(out, at, Double.NEGATIVE_INFINITY);
        default -> throw unexpected("a text");
      }
    }
  }

  private static final class FloatCell extends FloatingCell {
    FloatCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofDouble(UnsafeWriter out, int at, double value) {
      float nearest = (float) value;
      if (Float.isInfinite(nearest) && !Double.isInfinite(value)) {
        throw RefusedValue.outOfRange(value, slot.type.toString());
      }
      slot.putFloat(out, at, nearest);
    }
  }

  private static final class DoubleCell extends FloatingCell {
    DoubleCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofDouble(UnsafeWriter out, int at, double value) {
      slot.putDouble(out, at, value);
    }
  }

  private static final class TextCell extends Cell {
    TextCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
      slot.putText(out, at, text, offset, length);
    }
  }

  private static final class BytesCell extends Cell {
    BytesCell(Slot slot) {
      super(slot);
    }

    @Override
    boolean base64InJson() {
      return true;
    }

    @Override
    void ofBytes(UnsafeWriter out, int at, byte[] bytes, int offset, int length) {
      slot.putBytes(out, at, bytes, offset, length);
    }
  }

  private static class DecimalCell extends Cell {
    private final int scale;

    DecimalCell(Slot slot, int scale) {
      super(slot);
      this.scale = scale;
    }

    @Override
    boolean base64InJson() {
      return true;
    }

    @Override
    boolean exactFractions() {
      return true;
    }

    @Override
    void ofInteger(UnsafeWriter out, int at, long value) {
      ofDecimal(out, at, BigDecimal.valueOf(value));
    }

    @Override
    void ofDecimal(UnsafeWriter out, int at, BigDecimal value) {
      slot.putDecimal(out, at, value);
    }

    @Override
    void ofBytes(UnsafeWriter out, int at, byte[] bytes, int offset, int length) {
      if (length == 0) {
        throw RefusedValue.undecodable("a decimal of no bytes");
      }
      if (length > Long.BYTES) {
        byte[] digits = Arrays.copyOfRange(bytes, offset, offset + length);
        ofDecimal(out, at, new BigDecimal(new BigInteger(digits), scale));
        return;
      }
      long unscaled = bytes[offset];
      for (int i = 1; i < length; i++) {
        unscaled = (unscaled << Byte.SIZE) | (bytes[offset + i] & 0xFF);
      }
      slot.putDecimal(out, at, unscaled, scale);
    }
  }

  /** A decimal whose scale no decimal column has; kept as text, every digit. */
  private static final class DecimalTextCell extends DecimalCell {
    private final int scale;

    DecimalTextCell(Slot slot, int scale) {
      super(slot, scale);
      this.scale = scale;
    }

    @Override
    void ofDecimal(UnsafeWriter out, int at, BigDecimal value) {
      byte[] text = value.toPlainString().getBytes(StandardCharsets.US_ASCII);
      slot.putText(out, at, text, 0, text.length);
    }

    @Override
    void ofBytes(UnsafeWriter out, int at, byte[] bytes, int offset, int length) {
      if (length == 0) {
        throw RefusedValue.undecodable("a decimal of no bytes");
      }
      byte[] digits = Arrays.copyOfRange(bytes, offset, offset + length);
      ofDecimal(out, at, new BigDecimal(new BigInteger(digits), scale));
    }
  }

  private static final class DateCell extends Cell {
    DateCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofInteger(UnsafeWriter out, int at, long value) {
      slot.putDate(out, at, value);
    }

    @Override
    void ofLogical(UnsafeWriter out, int at, long millis) {
      slot.putDate(out, at, Math.floorDiv(millis, MILLIS_PER_DAY));
    }
  }

  private static final class MillisCell extends Cell {
    MillisCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofInteger(UnsafeWriter out, int at, long value) {
      if (value > Long.MAX_VALUE / MICROS_PER_MILLI || value < Long.MIN_VALUE / MICROS_PER_MILLI) {
        throw RefusedValue.outOfRange(value + " ms (infinity?)", slot.type.toString());
      }
      slot.putTimestamp(out, at, value * MICROS_PER_MILLI);
    }

    @Override
    void ofLogical(UnsafeWriter out, int at, long millis) {
      ofInteger(out, at, millis);
    }
  }

  private static final class MicrosCell extends Cell {
    MicrosCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofInteger(UnsafeWriter out, int at, long value) {
      slot.putTimestamp(out, at, value);
    }
  }

  private static final class NanosCell extends Cell {
    NanosCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofInteger(UnsafeWriter out, int at, long value) {
      if (value % NANOS_PER_MICRO != 0) {
        throw RefusedValue.outOfRange(value + " ns", slot.type.toString());
      }
      slot.putTimestamp(out, at, value / NANOS_PER_MICRO);
    }
  }

  private static final class TimeCell extends Cell {
    private final long unitsPerSecond;

    TimeCell(Slot slot, long unitsPerSecond) {
      super(slot);
      this.unitsPerSecond = unitsPerSecond;
    }

    @Override
    void ofInteger(UnsafeWriter out, int at, long value) {
      byte[] text = IsoText.timeOfDay(value, unitsPerSecond);
      slot.putText(out, at, text, 0, text.length);
    }

    @Override
    void ofLogical(UnsafeWriter out, int at, long millis) {
      ofInteger(out, at, millis);
    }
  }

  /** A time without zone that Debezium writes with a {@code Z}; the column gets none. */
  private static final class IsoTimeCell extends Cell {
    IsoTimeCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
      int end = length > 0 && text[offset + length - 1] == 'Z' ? length - 1 : length;
      slot.putText(out, at, text, offset, end);
    }
  }
}
