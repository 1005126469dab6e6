package io.onceberg.keystore;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Writes one task's files for one target. Files become visible only by a commit. */
public interface TargetWriter {
  /** Writes one row of {@link TaskTarget#rowType}; the row is not kept. */
  void writeRow(InternalRow row);

  /**
   * Writes identities of {@link TaskTarget#identityType}, sorted here by the keys table's order.
   *
   * @param payloadHashes for {@link TargetKind#EVENTS}, one for each identity; else empty
   */
  void writeKeys(List<UnsafeRow> identities, long[] payloadHashes);

  /** Writes one quarantined record. */
  void writeQuarantined(QuarantinedRecord quarantined);

  /** Closes all files and returns them. Nothing else may be called afterwards. */
  StagedFiles finish();

  /** Closes and deletes what was written. */
  void abort();
}
