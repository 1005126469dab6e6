package io.onceberg.ingest.loop;

import io.onceberg.error.OncebergException;
import io.onceberg.keystore.TargetName;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How the loop ended.
 *
 * @param error what ended it; null when it was asked to end
 * @param stopped targets that were stopped on the way
 */
public record LoopEnd(
    @Nullable OncebergException error, Map<TargetName, OncebergException> stopped) {
  public LoopEnd {
    stopped = Map.copyOf(stopped);
  }

  /** The error that the exit status tells, if any: what ended the loop, else a stopped target's. */
  public Optional<OncebergException> worst() {
    return Optional.ofNullable(error).or(() -> stopped.values().stream().findFirst());
  }
}
