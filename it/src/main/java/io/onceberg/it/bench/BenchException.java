package io.onceberg.it.bench;

import org.jspecify.annotations.Nullable;

/** A part of the benchmark could not be run; the message says which and why. */
public final class BenchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public BenchException(String message) {
    this(message, null);
  }

  public BenchException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  public static BenchException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new BenchException("interrupted", cause);
  }
}
