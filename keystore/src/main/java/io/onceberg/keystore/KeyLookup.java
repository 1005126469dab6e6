package io.onceberg.keystore;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The anti-join's right side: which identities of a batch are stored already. Exact: no false
 * positive and no false negative. This is the one place where a faster lookup is put in.
 */
public interface KeyLookup {
  /**
   * Looks up a batch's identities as of the pinned snapshot.
   *
   * @param identities rows of {@link TaskTarget#identityType}, each once, in any order
   */
  KeyHits find(List<UnsafeRow> identities);

  /**
   * Looks up what tells stored changes apart that are equal in all else.
   *
   * @param identities rows of {@link TaskTarget#identityType} without an ordinal, each once
   * @return for each, the ordinals of those that are stored
   */
  List<StoredOrdinals> ordinals(List<UnsafeRow> identities);
}
