package io.onceberg.ingest.loop;

import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.TargetName;

/** Where the targets stand. */
public interface TargetLedgers {
  /**
   * Opens the catalog unless it is open.
   *
   * @throws io.onceberg.error.OncebergException when it does not answer or refuses
   */
  void open();

  /** The ledger as last read or committed. */
  Ledger ledger(TargetName target);

  /** Reads the target's tables and ledger anew, after a batch that failed. */
  void reload(TargetName target);
}
