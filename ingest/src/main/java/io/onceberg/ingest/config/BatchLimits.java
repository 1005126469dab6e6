package io.onceberg.ingest.config;

import java.time.Duration;

/**
 * How large a batch may be and how long it may wait.
 *
 * @param maxRows the most records of one batch, over all targets
 * @param maxBytes about the most bytes of keys and values of one batch
 * @param maxWait how long a batch that is not full waits for more
 */
public record BatchLimits(long maxRows, long maxBytes, Duration maxWait) {
  public BatchLimits {
    if (maxRows < 1 || maxBytes < 1 || maxWait.isNegative()) {
      throw new IllegalArgumentException(
          "no batch fits in %d rows, %d bytes, %s".formatted(maxRows, maxBytes, maxWait));
    }
  }
}
