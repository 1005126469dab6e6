package io.onceberg.ingest.config;

import java.io.Serializable;

/** What the user chose for the cases where an identity alone does not settle what an event is. */
public record DedupPolicy(Conflict conflict, Twins twins, SnapshotRows snapshot, KeyReuse keyReuse)
    implements Serializable {
  /** A policy that compares every business key with all that there ever were. */
  public DedupPolicy(Conflict conflict, Twins twins, SnapshotRows snapshot) {
    this(conflict, twins, snapshot, KeyReuse.POSSIBLE);
  }

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

  /** Whether a new event may have the business key of one whose key was dropped for its age. */
  public enum KeyReuse {
    POSSIBLE,
    NEVER
  }

  /**
   * Nothing is dropped silently: conflicts to quarantine, twins refused, snapshots collapsed, every
   * business key compared with all that there ever were.
   */
  public static final DedupPolicy DEFAULT =
      new DedupPolicy(Conflict.QUARANTINE, Twins.REFUSE, SnapshotRows.COLLAPSE);
}
