package io.onceberg.ingest.sink;

import io.onceberg.error.OncebergException;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.TargetName;

/** How a batch ended for one target; targets are independent. */
public sealed interface TargetResult {
  TargetName target();

  /**
   * The batch is committed.
   *
   * @param ledger where the target stands now
   */
  record Landed(TargetReport report, Ledger ledger) implements TargetResult {
    @Override
    public TargetName target() {
      return report.target();
    }
  }

  /** Nothing of the batch is committed for this target; the code's reaction says what to do. */
  record Failed(TargetName target, OncebergException error) implements TargetResult {}
}
