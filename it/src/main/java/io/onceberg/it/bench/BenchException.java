package io.onceberg.it.bench;

import org.jspecify.annotations.Nullable;

/** A part of the benchmark could not be run; the message says which and why. */
final class BenchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BenchException(String message) {
    this(message, null);
  }

  BenchException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  static BenchException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new BenchException("interrupted", cause);
  }
}
