package io.onceberg.error;

import org.jspecify.annotations.Nullable;

/** An error with its number; the message says what, where and what next. */
public final class OncebergException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final String detail;

  public OncebergException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public OncebergException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(code.label() + " " + code + ": " + message, cause);
    this.code = code;
    this.detail = message;
  }

  public ErrorCode code() {
    return code;
  }

  /** The message without number and name. */
  public String detail() {
    return detail;
  }
}
