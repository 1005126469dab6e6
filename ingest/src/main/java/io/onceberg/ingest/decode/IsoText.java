package io.onceberg.ingest.decode;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;

/**
 * Dates and times as text, strictly.
 *
 * <p>The common form {@code 2026-05-23T10:00:00.123456Z} is read from its bytes; every other form
 * that ISO 8601 allows goes through java.time. A blank in the place of the {@code T} is taken.
 */
final class IsoText {
  private static final int DATE_LENGTH = 10;
  private static final int TIME_END = 19;
  private static final int MICRO_DIGITS = 6;
  private static final long SECONDS_PER_DAY = 86_400;
  private static final long MICROS = 1_000_000;

  private IsoText() {}

  /**
   * Microseconds since the epoch.
   *
   * @param zoned whether the column has a zone; text without an offset then means UTC, and text
   *     with an offset other than UTC does not fit a column without one
   */
  static long micros(byte[] text, int offset, int length, boolean zoned, String column) {
    long fast = commonMicros(text, offset, length);
    return fast != Long.MIN_VALUE
        ? fast
        : parsedMicros(new String(text, offset, length, StandardCharsets.UTF_8), zoned, column);
  }

  /** Days since the epoch of {@code 2026-05-23}, with or without a {@code Z}. */
  static int days(byte[] text, int offset, int length, String column) {
    String whole = new String(text, offset, length, StandardCharsets.UTF_8);
    String date = whole.endsWith("Z") ? whole.substring(0, whole.length() - 1) : whole;
    try {
      return Math.toIntExact(LocalDate.parse(date).toEpochDay());
    } catch (DateTimeException | ArithmeticException e) {
      throw RefusedValue.outOfRange("'" + whole + "'", column);
    }
  }

  /**
   * A time of day, {@code 10:30:00.12}: no zeros at the end of the fraction, so that one time is
   * one text whatever unit it came in.
   */
  static byte[] timeOfDay(long units, long unitsPerSecond) {
    StringBuilder text = new StringBuilder(18);
    if (units < 0) {
      text.append('-');
    }
    long seconds = Math.abs(units / unitsPerSecond);
    long fraction = Math.abs(units % unitsPerSecond);
    twoDigits(text, seconds / 3600).append(':');
    twoDigits(text, seconds / 60 % 60).append(':');
    twoDigits(text, seconds % 60);
    if (fraction != 0) {
      String digits = String.valueOf(unitsPerSecond + fraction).substring(1);
      int end = digits.length();
      while (digits.charAt(end - 1) == '0') {
        end--;
      }
      text.append('.').append(digits, 0, end);
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static StringBuilder twoDigits(StringBuilder text, long number) {
    return number < 10 ? text.append('0').append(number) : text.append(number);
  }

  /** Long.MIN_VALUE when the text is not of the common form. */
  private static long commonMicros(byte[] b, int at, int length) {
    if (length < TIME_END
        || b[at + 4] != '-'
        || b[at + 7] != '-'
        || (b[at + DATE_LENGTH] != 'T' && b[at + DATE_LENGTH] != ' ')
        || b[at + 13] != ':'
        || b[at + 16] != ':') {
      return Long.MIN_VALUE;
    }
    int end = at + length;
    if (b[end - 1] == 'Z') {
      end--;
    }
    long fraction = fraction(b, at + TIME_END, end);
    int year = number(b, at, 4);
    int month = number(b, at + 5, 2);
    int day = number(b, at + 8, 2);
    int hour = number(b, at + 11, 2);
    int minute = number(b, at + 14, 2);
    int second = number(b, at + 17, 2);
    if (fraction < 0
        || year < 0
        || month < 1
        || month > 12
        || day < 1
        || day > daysIn(year, month)
        || hour < 0
        || hour > 23
        || minute < 0
        || minute > 59
        || second < 0
        || second > 59) {
      return Long.MIN_VALUE;
    }
    long days = epochDay(year, month, day);
    return (days * SECONDS_PER_DAY + hour * 3600L + minute * 60L + second) * MICROS + fraction;
  }

  private static int daysIn(int year, int month) {
    return switch (month) {
      case 2 -> Year.isLeap(year) ? 29 : 28;
      case 4, 6, 9, 11 -> 30;
      default -> 31;
    };
  }

  /** Years 0 to 9999; counts from 1 March so that the leap day comes last. */
  private static long epochDay(int year, int month, int day) {
    int y = month > 2 ? year : year - 1;
    long era = Math.floorDiv(y, 400);
    long yearOfEra = y - era * 400;
    long dayOfYear = (153L * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468;
  }

  /** Micros of {@code .123456}; 0 for none; negative when it is anything else. */
  private static long fraction(byte[] b, int from, int end) {
    if (from == end) {
      return 0;
    }
    int digits = end - from - 1;
    if (b[from] != '.' || digits < 1 || digits > MICRO_DIGITS) {
      return -1;
    }
    long value = number(b, from + 1, digits);
    for (int i = digits; i < MICRO_DIGITS && value >= 0; i++) {
      value *= 10;
    }
    return value;
  }

  private static int number(byte[] b, int at, int digits) {
    int value = 0;
    for (int i = at; i < at + digits; i++) {
      int digit = b[i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = value * 10 + digit;
    }
    return value;
  }

  private static long parsedMicros(String text, boolean zoned, String column) {
    try {
      String iso = text.length() > DATE_LENGTH ? text.replaceFirst(" ", "T") : text;
      TemporalAccessor parsed =
          DateTimeFormatter.ISO_DATE_TIME.parseBest(iso, OffsetDateTime::from, LocalDateTime::from);
      LocalDateTime utc;
      if (parsed instanceof OffsetDateTime offset) {
        if (!zoned && offset.getOffset().getTotalSeconds() != 0) {
          throw RefusedValue.outOfRange("'" + text + "'", column);
        }
        utc = offset.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime();
      } else {
        utc = LocalDateTime.from(parsed);
      }
      int nanos = utc.get(ChronoField.NANO_OF_SECOND);
      if (nanos % 1000 != 0) {
        throw RefusedValue.outOfRange("'" + text + "'", column);
      }
      return Math.addExact(
          Math.multiplyExact(utc.toEpochSecond(ZoneOffset.UTC), MICROS), nanos / 1000);
    } catch (DateTimeException | ArithmeticException e) {
      throw RefusedValue.outOfRange("'" + text + "'", column);
    }
  }
}
