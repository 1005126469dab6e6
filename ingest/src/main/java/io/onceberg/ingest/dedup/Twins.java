package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.decode.Op;

/**
 * Equal snapshot rows of a table without a key: a repeated snapshot, or two rows that are truly
 * equal. Snapshot rows carry no transaction metadata, so nothing settles it but the user's choice.
 */
final class Twins {
  private Twins() {}

  /** Whether a repeated frame could be a twin and the user has not chosen. */
  static boolean unsettled(Frame repeated, DedupPolicy policy) {
    return policy.twins() == DedupPolicy.Twins.REFUSE
        && repeated.op() == Op.READ
        && repeated.text(Frame.KEY_TEXT) == null
        && repeated.has(Frame.HAS_CONTENT_HASH);
  }

  static void refuse(PolledBatch.Received received, Frame repeated) {
    received.fail(
        ErrorCode.TWINS_UNSETTLED,
        ("%s has no key, and a snapshot row with the same content came before: a repeated snapshot"
                + " or a true twin; choose table.<name>.twins = collapse or keep")
            .formatted(repeated.text(Frame.SOURCE)));
  }
}
