package io.onceberg.ingest.dedup;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.decode.DecodeSettings;
import io.onceberg.keystore.TaskTarget;
import java.io.Serializable;

/**
 * One target as a batch's tasks see it.
 *
 * @param firstWriter the first of the writing tasks that take this target's events
 * @param writers how many writing tasks share them
 */
public record TargetSpec(
    TaskTarget tables, DecodeSettings decode, DedupPolicy policy, int firstWriter, int writers)
    implements Serializable {
  /** The writing task for an identity's hash; equal identities always meet in one task. */
  int writerOf(long hash, int allWriters) {
    int share = writers == 1 ? 0 : (int) Long.remainderUnsigned(hash >>> 16, writers);
    return (firstWriter + share) % allWriters;
  }
}
