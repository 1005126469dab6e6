package io.onceberg.ingest.decode;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeWriter;
import org.apache.spark.sql.types.Decimal;

/** One {@link Slot} for each Iceberg type that a source column can have. */
final class Slots {
  private static final Pattern INTEGER = Pattern.compile("-?\\d{1,19}");
  private static final Pattern DECIMAL = Pattern.compile("-?\\d+(\\.\\d+)?");
  private static final double EXACT_INTEGERS = 9_007_199_254_740_992d;

  /** Postgres's first and last day: 4714-11-24 BC and 5874897-12-31. */
  private static final long FIRST_DAY = -2_440_588;

  private static final long LAST_DAY = 2_145_042_905;

  /** What a Postgres 'infinity' becomes on its way through Debezium, and all beyond it. */
  private static final long INFINITY_MICROS = 9_223_372_036_825_200_000L;

  private static final long NEGATIVE_INFINITY_MICROS = -9_223_372_036_832_400_000L;

  private Slots() {}

  static Slot of(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> new BooleanSlot(type);
      case INTEGER -> new IntegerSlot(type);
      case LONG -> new LongSlot(type);
      case FLOAT -> new FloatSlot(type);
      case DOUBLE -> new DoubleSlot(type);
      case DECIMAL -> new DecimalSlot((Types.DecimalType) type);
      case STRING -> new StringSlot(type);
      case UUID -> new UuidSlot(type);
      case BINARY -> new BinarySlot(type);
      case DATE -> new DateSlot(type);
      case TIMESTAMP -> new TimestampSlot((Types.TimestampType) type);
      default -> new RefusingSlot(type);
    };
  }

  /** Lists, structs and maps are written by their own cells; other types take nothing. */
  private static final class RefusingSlot extends Slot {
    RefusingSlot(Type type) {
      super(type);
    }
  }

  private static final class BooleanSlot extends Slot {
    BooleanSlot(Type type) {
      super(type);
    }

    @Override
    void putNull(UnsafeWriter out, int at) {
      out.setNull1Bytes(at);
    }

    @Override
    void putBoolean(UnsafeWriter out, int at, boolean value) {
      out.write(at, value);
    }
  }

  private abstract static class WholeSlot extends Slot {
    WholeSlot(Type type) {
      super(type);
    }

    @Override
    void putDouble(UnsafeWriter out, int at, double value) {
      if (value != Math.rint(value) || Math.abs(value) > EXACT_INTEGERS) {
        throw RefusedValue.outOfRange(value, type.toString());
      }
      putInteger(out, at, (long) value);
    }

    @Override
    void putDecimal(UnsafeWriter out, int at, BigDecimal value) {
      try {
        putInteger(out, at, value.longValueExact());
      } catch (ArithmeticException e) {
        throw RefusedValue.outOfRange(value, type.toString());
      }
    }

    @Override
    void putText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
      String digits = new String(text, offset, length, StandardCharsets.UTF_8);
      if (!INTEGER.matcher(digits).matches()) {
        throw RefusedValue.outOfRange("'" + digits + "'", type.toString());
      }
      putDecimal(out, at, new BigDecimal(digits));
    }
  }

  private static final class IntegerSlot extends WholeSlot {
    IntegerSlot(Type type) {
      super(type);
    }

    @Override
    void putNull(UnsafeWriter out, int at) {
      out.setNull4Bytes(at);
    }

    @Override
    void putInteger(UnsafeWriter out, int at, long value) {
      if (value != (int) value) {
        throw RefusedValue.outOfRange(value, type.toString());
      }
      out.write(at, (int) value);
    }
  }

  private static final class LongSlot extends WholeSlot {
    LongSlot(Type type) {
      super(type);
    }

    @Override
    void putInteger(UnsafeWriter out, int at, long value) {
      out.write(at, value);
    }
  }

  private static final class FloatSlot extends Slot {
    FloatSlot(Type type) {
      super(type);
    }

    @Override
    void putNull(UnsafeWriter out, int at) {
      out.setNull4Bytes(at);
    }

    @Override
    void putFloat(UnsafeWriter out, int at, float value) {
      out.write(at, value);
    }

    /** Takes a double that is a float's shortest decimal form, as JSON writes floats. */
    @Override
    void putDouble(UnsafeWriter out, int at, double value) {
      float narrow = (float) value;
      if (Double.compare(narrow, value) != 0
          && Double.compare(Double.parseDouble(Float.toString(narrow)), value) != 0) {
        throw RefusedValue.outOfRange(value, type.toString());
      }
      out.write(at, narrow);
    }

    @Override
    void putInteger(UnsafeWriter out, int at, long value) {
      if ((long) (float) value != value || value == Long.MAX_VALUE) {
        throw RefusedValue.outOfRange(value, type.toString());
      }
      out.write(at, (float) value);
    }
  }

  private static final class DoubleSlot extends Slot {
    DoubleSlot(Type type) {
      super(type);
    }

    @Override
    void putDouble(UnsafeWriter out, int at, double value) {
      out.write(at, value);
    }

    @Override
    void putInteger(UnsafeWriter out, int at, long value) {
      if ((long) (double) value != value || value == Long.MAX_VALUE) {
        throw RefusedValue.outOfRange(value, type.toString());
      }
      out.write(at, (double) value);
    }
  }

  private static final class DecimalSlot extends Slot {
    private static final int COMPACT_DIGITS = 18;

    private final int precision;
    private final int scale;
    private final long limit;

    DecimalSlot(Types.DecimalType type) {
      super(type);
      this.precision = type.precision();
      this.scale = type.scale();
      this.limit = precision <= COMPACT_DIGITS ? BigDecimal.TEN.pow(precision).longValue() : 0;
    }

    @Override
    void putInteger(UnsafeWriter out, int at, long value) {
      putDecimal(out, at, value, 0);
    }

    @Override
    void putDecimal(UnsafeWriter out, int at, long unscaled, int sourceScale) {
      if (sourceScale == scale && unscaled < limit && unscaled > -limit) {
        out.write(at, unscaled);
      } else {
        putDecimal(out, at, BigDecimal.valueOf(unscaled, sourceScale));
      }
    }

    @Override
    void putDecimal(UnsafeWriter out, int at, BigDecimal value) {
      BigDecimal scaled = scaled(value);
      if (precision <= COMPACT_DIGITS) {
        out.write(at, scaled.unscaledValue().longValue());
      } else {
        out.write(at, Decimal.apply(scaled, precision, scale), precision, scale);
      }
    }

    private BigDecimal scaled(BigDecimal value) {
      if (value.signum() == 0) {
        return BigDecimal.valueOf(0, scale);
      }
      // a huge exponent is refused by its digits, before any power of ten is built
      long integerDigits = (long) value.precision() - value.scale();
      long surplusDigits = (long) value.scale() - scale;
      if (integerDigits > precision - scale || surplusDigits >= value.precision()) {
        throw RefusedValue.outOfRange(value, type.toString());
      }
      try {
        return value.setScale(scale, RoundingMode.UNNECESSARY);
      } catch (ArithmeticException e) {
        throw RefusedValue.outOfRange(value, type.toString());
      }
    }

    @Override
    void putText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
      String digits = new String(text, offset, length, StandardCharsets.UTF_8);
      if (!DECIMAL.matcher(digits).matches()) {
        throw RefusedValue.outOfRange("'" + digits + "'", type.toString());
      }
      putDecimal(out, at, new BigDecimal(digits));
    }
  }

  private static final class StringSlot extends Slot {
    StringSlot(Type type) {
      super(type);
    }

    @Override
    void putText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
      out.write(at, text, offset, length);
    }
  }

  /** Spark has UUIDs as text; one UUID is always the same text. */
  private static final class UuidSlot extends Slot {
    private static final int LENGTH = 36;

    UuidSlot(Type type) {
      super(type);
    }

    @Override
    void putText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
      if (isCanonical(text, offset, length)) {
        out.write(at, text, offset, length);
        return;
      }
      String written = new String(text, offset, length, StandardCharsets.UTF_8);
      byte[] lower = written.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
      if (!isCanonical(lower, 0, lower.length)) {
        throw RefusedValue.outOfRange("'" + written + "'", type.toString());
      }
      out.write(at, lower);
    }

    private static boolean isCanonical(byte[] text, int offset, int length) {
      if (length != LENGTH) {
        return false;
      }
      for (int i = 0; i < LENGTH; i++) {
        byte b = text[offset + i];
        boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? b != '-' : (b < '0' || b > '9') && (b < 'a' || b > 'f')) {
          return false;
        }
      }
      return true;
    }
  }

  private static final class BinarySlot extends Slot {
    BinarySlot(Type type) {
      super(type);
    }

    @Override
    void putBytes(UnsafeWriter out, int at, byte[] bytes, int offset, int length) {
      out.write(at, bytes, offset, length);
    }
  }

  private static final class DateSlot extends Slot {
    DateSlot(Type type) {
      super(type);
    }

    @Override
    void putNull(UnsafeWriter out, int at) {
      out.setNull4Bytes(at);
    }

    @Override
    void putDate(UnsafeWriter out, int at, long days) {
      if (days < FIRST_DAY || days > LAST_DAY) {
        throw RefusedValue.outOfRange("day " + days + " (infinity?)", type.toString());
      }
      out.write(at, (int) days);
    }

    @Override
    void putText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
      putDate(out, at, IsoText.days(text, offset, length, type.toString()));
    }
  }

  private static final class TimestampSlot extends Slot {
    private final boolean zoned;

    TimestampSlot(Types.TimestampType type) {
      super(type);
      this.zoned = type.shouldAdjustToUTC();
    }

    @Override
    void putTimestamp(UnsafeWriter out, int at, long micros) {
      if (micros >= INFINITY_MICROS || micros <= NEGATIVE_INFINITY_MICROS) {
        throw RefusedValue.outOfRange("infinity", type.toString());
      }
      out.write(at, micros);
    }

    @Override
    void putText(UnsafeWriter out, int at, byte[] text, int offset, int length) {
      putTimestamp(out, at, IsoText.micros(text, offset, length, zoned, type.toString()));
    }
  }
}
