package io.onceberg.error;

import java.security.GeneralSecurityException;

/** Tells a TLS certificate that no one vouches for from a peer that does not answer. */
public final class Distrust {
  private Distrust() {}

  /** Whether a failure comes from it: waiting makes it no better. */
  public static boolean isCauseOf(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof GeneralSecurityException) {
        return true;
      }
    }
    return false;
  }
}
