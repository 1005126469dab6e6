package io.onceberg.error;

/** What the program does when an error occurs. The loop switches on this, never on a message. */
public enum Reaction {
  /** Wait with backoff and try the same thing again, without end. */
  RETRY,
  /** Reload the state from the catalog, settle what happened, and go on. */
  RECOVER,
  /** Put the one record into the quarantine table and go on. */
  QUARANTINE,
  /** Stop the target (its offsets stay); other targets go on. */
  STOP_TARGET,
  /** End the program with a non-zero exit status. */
  STOP
}
