package io.onceberg.it.platform;

import org.jspecify.annotations.Nullable;

/** A part of the platform does not do what it is there for; the message holds its last log. */
public final class PlatformException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public PlatformException(String message) {
    this(message, null);
  }

  public PlatformException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
