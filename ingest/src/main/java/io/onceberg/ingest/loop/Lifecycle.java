package io.onceberg.ingest.loop;

import java.util.EnumMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The state the loop is in, and the one door between states. Read by other threads. */
final class Lifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);

  private final Map<LoopState, Long> entered = new EnumMap<>(LoopState.class);
  private volatile LoopState state = LoopState.STARTING;

  LoopState state() {
    return state;
  }

  /** How often a state was entered. */
  synchronized long entered(LoopState which) {
    return entered.getOrDefault(which, 0L);
  }

  /**
   * Goes to another state: checks that the move is legal, logs and counts it.
   *
   * @throws IllegalStateException when there is no such move
   */
  void moveTo(LoopState target, String reason) {
    moveTo(target, reason, state.isRoutine() && target.isRoutine() ? Level.DEBUG : Level.INFO);
  }

  /** The same, where the same thing was said before. */
  void moveQuietlyTo(LoopState target, String reason) {
    moveTo(target, reason, Level.DEBUG);
  }

  private synchronized void moveTo(LoopState target, String reason, Level level) {
    if (!state.moves().contains(target)) {
      throw new IllegalStateException("no move from %s to %s: %s".formatted(state, target, reason));
    }
    LOG.atLevel(level).log("state {} -> {}: {}", state, target, reason);
    entered.merge(target, 1L, Long::sum);
    state = target;
  }
}
