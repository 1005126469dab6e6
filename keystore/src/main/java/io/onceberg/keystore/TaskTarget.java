package io.onceberg.keystore;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;

/**
 * One target pinned at the snapshots that a batch is built on, as its Spark tasks see it: read
 * keys, write files. Sent to executors.
 */
public interface TaskTarget extends Serializable {
  TargetSettings settings();

  TargetLayout layout();

  /** The Spark type of a row: {@link TargetLayout#columns} in order, {@code _cdc}, loaded_date. */
  StructType rowType();

  /** The Spark type of an identity: the keys table's columns without loaded_date, payload_hash. */
  StructType identityType();

  /** The version of the rule of docs/identity.md that this target's identities are made by. */
  int identityVersion();

  /** A lookup for the calling task; not shared between threads. */
  KeyLookup lookup();

  /** The first day whose keys are still kept, days since the epoch; empty when all keys are. */
  OptionalInt keysDroppedBefore();

  /**
   * Looks for identities among the target's rows of the days whose keys were dropped: exact, and
   * slow.
   *
   * @param identities rows of {@link #identityType}, each once, in any order
   * @param stored makes the identities of the rows
   */
  KeyHits findDropped(List<UnsafeRow> identities, StoredIdentities stored);

  /**
   * Does for {@link KeyLookup#ordinals} what {@link #findDropped} does for {@link KeyLookup#find}.
   *
   * @param identities rows of {@link #identityType} without an ordinal, each once, in any order
   * @param stored makes the identities of the rows
   */
  List<StoredOrdinals> ordinalsDropped(List<UnsafeRow> identities, StoredIdentities stored);

  /** Which of these digests lie in the quarantine table already. */
  Set<ByteBuffer> quarantined(Collection<ByteBuffer> identityDigests);

  /**
   * A writer for the calling task. Older key files that are due are merged by it, a group by each
   * task.
   *
   * @param loadedDate the batch's UTC day, in days since the epoch
   * @param task the task's number among those of the batch, from 0
   * @param tasks how many write this batch
   */
  TargetWriter writer(int loadedDate, int task, int tasks, long taskAttemptId);

  /** A writer for a task that merges as if it were alone. */
  default TargetWriter writer(int loadedDate, int task, long taskAttemptId) {
    return writer(loadedDate, task, 1, taskAttemptId);
  }
}
