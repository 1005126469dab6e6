package io.onceberg.it.stack;

import org.jspecify.annotations.Nullable;

/** A part of the embedded stack could not be started or reached; the message holds its last log. */
public final class StackException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StackException(String message) {
    this(message, null);
  }

  public StackException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
