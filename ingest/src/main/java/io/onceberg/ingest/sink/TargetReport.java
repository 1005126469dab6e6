package io.onceberg.ingest.sink;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.decode.ControlKind;
import io.onceberg.keystore.BatchId;
import io.onceberg.keystore.TargetName;
import java.util.Map;

/**
 * What one committed batch did to one target, as its log line tells it. Each record read is counted
 * exactly once: {@code read = rows + inBatch + connectorReplay + snapshotOverlap + conflictsDropped
 * + quarantined + quarantinedBefore + tombstones + control}.
 *
 * @param inBatch repeats of an event within the batch
 * @param connectorReplay events whose identity the keys table held already
 * @param snapshotOverlap snapshot rows that an earlier snapshot had brought unchanged
 * @param conflictsDropped conflicting events that the policy keep-first left out
 * @param quarantined newly quarantined records, by error
 * @param quarantinedBefore records that lay in quarantine already
 * @param checkedBeyondHorizon how many of all these were looked for in the target itself, because
 *     keys of their time are no longer kept
 */
public record TargetReport(
    TargetName target,
    BatchId batch,
    long read,
    long rows,
    long inBatch,
    long connectorReplay,
    long snapshotOverlap,
    long conflictsDropped,
    Map<ErrorCode, Long> quarantined,
    long quarantinedBefore,
    long tombstones,
    Map<ControlKind, Long> control,
    long checkedBeyondHorizon) {
  public TargetReport {
    quarantined = Map.copyOf(quarantined);
    control = Map.copyOf(control);
  }
}
