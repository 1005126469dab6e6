package io.onceberg.keystore.keyfile;

import org.apache.spark.sql.catalyst.InternalRow;

/** Takes the stored rows that may be identities of a batch. */
@FunctionalInterface
public interface Candidates {
  /**
   * Takes a row. It is reused.
   *
   * @param places of identities in the batch; those {@code from} until {@code until} have the row's
   *     lead value or, where the row has none, have none either. No other identity can be equal to
   *     the row.
   * @param byLead whether they have a lead value
   */
  void offer(InternalRow row, int[] places, int from, int until, boolean byLead);
}
