package io.onceberg.it.net;

import java.util.Locale;

/** What can be wrong with a link. */
public enum Trouble {
  /** Connections are reset, and new ones refused. */
  CUT,
  /** Everything arrives, late. */
  DELAY,
  /**
   * Connections stay open or are taken, and whatever is sent is lost. Those that lost something are
   * reset when the trouble ends: nobody knows of them any more.
   */
  HALF_OPEN,
  /** Requests arrive, and answers are lost; those who wait for one are reset when it ends. */
  SILENT_ANSWER,
  /** Requests arrive, and the connection is reset in place of the answer. */
  LOST_ANSWER;

  /** As {@code half-open}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
