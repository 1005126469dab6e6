package io.onceberg.ingest.config;

/** What happens to a partition that the target's ledger does not know yet. */
public enum StartPolicy {
  /** It is read from the first offset that Kafka still has. */
  EARLIEST,
  /** It is refused when Kafka no longer has its first record. */
  FAIL
}
