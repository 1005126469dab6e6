package io.onceberg.ingest.loop;

import java.util.EnumSet;
import java.util.Set;

/** What the daemon is doing. Each state knows where it may go; there is no other way. */
public enum LoopState {
  /** Not begun yet. */
  STARTING,
  /** Finding out what can be read. */
  PLANNING,
  /** Nothing to read, or not enough yet. */
  IDLE,
  /** A batch is read and committed. */
  RUNNING,
  /** Something does not answer; waiting before the next try. */
  BACKING_OFF,
  /** Asked to end. */
  STOPPING,
  /** Ended because it was asked to. */
  STOPPED,
  /** Ended because it cannot go on. */
  FAILED;

  /** The states that may follow this one. */
  Set<LoopState> moves() {
    return switch (this) {
      case STARTING -> EnumSet.of(PLANNING, STOPPING);
      case PLANNING -> EnumSet.of(IDLE, RUNNING, BACKING_OFF, STOPPING, FAILED);
      case IDLE -> EnumSet.of(PLANNING, STOPPING);
      case RUNNING -> EnumSet.of(PLANNING, BACKING_OFF, STOPPING, FAILED);
      case BACKING_OFF -> EnumSet.of(PLANNING, STOPPING);
      case STOPPING -> EnumSet.of(STOPPED);
      case STOPPED, FAILED -> EnumSet.noneOf(LoopState.class);
    };
  }

  /** Whether the loop is over. */
  boolean isEnd() {
    return moves().isEmpty();
  }

  /** Whether a daemon at work goes through it again and again. */
  boolean isRoutine() {
    return this == PLANNING || this == IDLE || this == RUNNING;
  }
}
