package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.decode.ControlKind;
import java.io.Serializable;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * What became of the records of one target, each counted once. Filled by one task, then added up.
 */
public final class Counts implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The outcomes that have no further kinds. */
  public enum Outcome {
    /** All records read; not an outcome, but the sum that all others must make. */
    READ,
    ROW,
    IN_BATCH,
    CONNECTOR_REPLAY,
    SNAPSHOT_OVERLAP,
    CONFLICT_DROPPED,
    QUARANTINED_BEFORE,
    TOMBSTONE
  }

  private final EnumMap<Outcome, long[]> outcomes = new EnumMap<>(Outcome.class);
  private final EnumMap<ErrorCode, Long> quarantined = new EnumMap<>(ErrorCode.class);
  private final EnumMap<ControlKind, Long> control = new EnumMap<>(ControlKind.class);

  private long checkedBeyondHorizon;

  public Counts() {
    for (Outcome outcome : Outcome.values()) {
      outcomes.put(outcome, new long[1]);
    }
  }

  public void add(Outcome outcome) {
    add(outcome, 1);
  }

  void add(Outcome outcome, long count) {
    Objects.requireNonNull(outcomes.get(outcome))[0] += count;
  }

  void addQuarantined(ErrorCode code) {
    quarantined.merge(code, 1L, Long::sum);
  }

  void addControl(ControlKind kind) {
    control.merge(kind, 1L, Long::sum);
  }

  void addCheckedBeyondHorizon(long count) {
    checkedBeyondHorizon += count;
  }

  public void addAll(Counts other) {
    checkedBeyondHorizon += other.checkedBeyondHorizon;
    other.outcomes.forEach((outcome, count) -> add(outcome, count[0]));
    other.quarantined.forEach((code, count) -> quarantined.merge(code, count, Long::sum));
    other.control.forEach((kind, count) -> control.merge(kind, count, Long::sum));
  }

  public long of(Outcome outcome) {
    return Objects.requireNonNull(outcomes.get(outcome))[0];
  }

  public Map<ErrorCode, Long> quarantined() {
    return Map.copyOf(quarantined);
  }

  public Map<ControlKind, Long> control() {
    return Map.copyOf(control);
  }

  /** Events that were looked for in the target itself, whatever became of them. */
  public long checkedBeyondHorizon() {
    return checkedBeyondHorizon;
  }

  /** Records read that no outcome accounts for; anything but zero is a fault of the program. */
  public long unaccounted() {
    long sum = 0;
    for (Outcome outcome : Outcome.values()) {
      sum += outcome == Outcome.READ ? 0 : of(outcome);
    }
    for (long count : quarantined.values()) {
      sum += count;
    }
    for (long count : control.values()) {
      sum += count;
    }
    return of(Outcome.READ) - sum;
  }
}
