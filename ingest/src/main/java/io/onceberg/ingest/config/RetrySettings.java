package io.onceberg.ingest.config;

import java.time.Duration;

/** Exponential backoff: the first wait and the longest. */
public record RetrySettings(Duration first, Duration longest) {
  public RetrySettings {
    if (first.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          "the first wait %s is longer than the longest %s".formatted(first, longest));
    }
  }

  /** The wait before the attempt that follows this many failed ones. */
  public Duration waitAfter(int failures) {
    Duration wait = first.multipliedBy(1L << Math.min(Math.max(failures - 1, 0), 20));
    return wait.compareTo(longest) < 0 ? wait : longest;
  }
}
