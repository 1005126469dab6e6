package io.onceberg.it.demo;

import org.jspecify.annotations.Nullable;

/** The demo could not show what it promises; the message says what and where to look. */
final class DemoFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DemoFailure(String message) {
    this(message, null);
  }

  DemoFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
