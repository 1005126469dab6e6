package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.stream.Stream;
import org.apache.iceberg.TableMetadata;

/**
 * The clock that Iceberg dates commits by. Iceberg takes a change that is dated up to a minute
 * before the table's last one and refuses any older: so does whoever would have to make it, with a
 * number that says why, when the clock was set back or was ahead at an earlier commit.
 */
final class WallClock {
  private static final InstantSource CLOCK = InstantSource.system();
  private static final Duration TOLERANCE = Duration.ofMinutes(1);

  private WallClock() {}

  /**
   * Checks the tables of a target.
   *
   * @throws OncebergException OB-510 when a commit would be dated too long before the last change
   */
  static void requireNotBehind(Standing standing) {
    Instant last =
        Stream.of(standing.rows(), standing.keys(), standing.quarantine())
            .map(TableMetadata::lastUpdatedMillis)
            .map(Instant::ofEpochMilli)
            .max(Comparator.naturalOrder())
            .orElse(Instant.MIN);
    Instant now = CLOCK.instant();
    if (now.plus(TOLERANCE).isBefore(last)) {
      throw new OncebergException(
          ErrorCode.CLOCK_BEHIND,
          "%s: its last change is dated %s, and it is %s here: %d s behind; set the clock"
              .formatted(
                  standing.tables().name(), last, now, Duration.between(now, last).toSeconds()));
    }
  }
}
