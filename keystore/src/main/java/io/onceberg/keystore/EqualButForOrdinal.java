package io.onceberg.keystore;

import io.onceberg.keystore.keyfile.Candidates;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Collects the ordinals of stored identities that equal those of a batch in all else. */
final class EqualButForOrdinal implements Candidates {
  private final CanonicalIdentities canonical;
  private final IdentitySet wanted;
  private final List<StoredOrdinals> ordinals;
  private final int ordinalAt;

  /**
   * Has none yet.
   *
   * @param identities without an ordinal, each once
   */
  EqualButForOrdinal(CanonicalIdentities canonical, List<UnsafeRow> identities) {
    this.canonical = canonical;
    this.wanted = new IdentitySet(canonical.of(identities));
    this.ordinals = new ArrayList<>(identities.size());
    identities.forEach(identity -> ordinals.add(new StoredOrdinals()));
    this.ordinalAt = canonical.indexOf(TableColumns.ORDINAL);
  }

  @Override
  public void offer(InternalRow row, int[] places, int from, int until, boolean byLead) {
    offer(row);
  }

  void offer(InternalRow stored) {
    UnsafeRow identity = canonical.of(stored);
    long ordinal = identity.isNullAt(ordinalAt) ? StoredOrdinals.NONE : identity.getLong(ordinalAt);
    identity.setNullAt(ordinalAt);
    int index = wanted.indexOf(identity);
    if (index >= 0) {
      ordinals.get(index).add(ordinal);
    }
  }

  /** What was found, by the place of the identity that was asked for. */
  List<StoredOrdinals> ordinals() {
    return ordinals;
  }
}
