package io.onceberg.ingest.decode;

/** Records that are counted and become no row. */
public enum ControlKind {
  HEARTBEAT,
  SCHEMA_CHANGE,
  TRANSACTION,
  LOGICAL_MESSAGE
}
