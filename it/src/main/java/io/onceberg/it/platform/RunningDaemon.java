package io.onceberg.it.platform;

import io.onceberg.it.stack.Deadline;
import java.time.Duration;
import java.util.OptionalInt;

/** A daemon at work, wherever it runs. */
public interface RunningDaemon extends AutoCloseable {
  boolean alive();

  /** The exit status, once it has ended. */
  OptionalInt exitStatus();

  /** Everything that it has written so far. */
  String output();

  /** Ends it without warning and waits until it is gone. */
  void kill();

  /**
   * Asks it to end in order and waits for that.
   *
   * @return false when it did not end in time
   */
  boolean stop(Duration grace);

  /**
   * Waits for a text in what it writes.
   *
   * @param from how much of the output to pass over, in characters
   * @throws PlatformException when it ends before, or the time is up
   */
  default void awaitOutput(String text, int from, Duration time) {
    Deadline deadline = Deadline.in(time);
    while (output().indexOf(text, from) < 0) {
      if (!alive() || !deadline.pause()) {
        throw new PlatformException(
            "the daemon %s without writing '%s':%n%s"
                .formatted(alive() ? "went on" : "ended", text, output()));
      }
    }
  }

  @Override
  void close();
}
