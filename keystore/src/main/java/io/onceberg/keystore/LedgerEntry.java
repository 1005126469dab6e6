package io.onceberg.keystore;

import org.jspecify.annotations.Nullable;

/**
 * A ledger as one table carries it.
 *
 * @param pending the file that lists what the other tables still lack, when the commit that wrote
 *     this entry is a roll-forward; null otherwise
 */
record LedgerEntry(Ledger ledger, @Nullable String pending) {
  /** The batch that wrote the entry; an entry always has one. */
  BatchId batch() {
    BatchId batch = ledger.lastBatch();
    if (batch == null) {
      throw new IllegalStateException("a ledger entry without a batch");
    }
    return batch;
  }
}
