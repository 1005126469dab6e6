package io.onceberg.ingest.decode;

import io.onceberg.error.ErrorCode;

/** A value or record that cannot be taken; an ordinary outcome, so it carries no stack trace. */
final class RefusedValue extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int EXCERPT = 80;

  private final ErrorCode code;

  RefusedValue(ErrorCode code, String detail) {
    super(detail, null, false, false);
    this.code = code;
  }

  static RefusedValue outOfRange(Object value, String column) {
    return new RefusedValue(
        ErrorCode.VALUE_OUT_OF_RANGE, "%s does not fit %s exactly".formatted(cut(value), column));
  }

  static RefusedValue incompatible(String value, Object column) {
    return new RefusedValue(
        ErrorCode.INCOMPATIBLE_VALUE, "%s cannot be held by %s".formatted(value, column));
  }

  static RefusedValue undecodable(String detail) {
    return new RefusedValue(ErrorCode.UNDECODABLE, detail);
  }

  ErrorCode code() {
    return code;
  }

  /** The message; never null. */
  String detail() {
    return String.valueOf(getMessage());
  }

  private static String cut(Object value) {
    String text = String.valueOf(value);
    return text.length() <= EXCERPT ? text : text.substring(0, EXCERPT) + "...";
  }
}
