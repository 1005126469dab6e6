package io.onceberg.keystore;

/** What a target holds. */
public enum TargetKind {
  /** One row per change event; every version of a source row is kept. */
  CHANGELOG,
  /** Append-only facts, each known by a business key. */
  EVENTS
}
