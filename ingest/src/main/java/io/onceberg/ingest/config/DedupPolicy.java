package io.onceberg.ingest.config;

import java.io.Serializable;

/** What the user chose for the cases where an identity alone does not settle what an event is. */
public record DedupPolicy(Conflict conflict, Twins twins, SnapshotRows snapshot)
    implements Serializable {
  /** An event key that was seen before, now with another payload. */
  public enum Conflict {
    QUARANTINE,
    STOP,
    KEEP_FIRST
  }

  /** Equal rows of a table without a key that no transaction metadata tells apart. */
  public enum Twins {
    REFUSE,
    COLLAPSE,
    KEEP
  }

  /** A snapshot row that an earlier snapshot brought unchanged. */
  public enum SnapshotRows {
    COLLAPSE,
    KEEP_EACH
  }

  /** Nothing is dropped silently: conflicts to quarantine, twins refused, snapshots collapsed. */
  public static final DedupPolicy DEFAULT =
      new DedupPolicy(Conflict.QUARANTINE, Twins.REFUSE, SnapshotRows.COLLAPSE);
}
