package io.onceberg.keystore;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;

/**
 * Makes the identities of rows that lie in a target, the same as those they had when they landed.
 * Used by one thread.
 */
public interface StoredIdentities {
  /**
   * The identity of a row, of {@link TaskTarget#identityType}, valid until the next call; null for
   * a row that another writer made, which never had one.
   *
   * @throws io.onceberg.error.OncebergException when the row lacks what its identity is made of
   */
  @Nullable UnsafeRow identity(StoredRow row);

  /**
   * What must be equal when the key of an event is; 0 for {@link TargetKind#CHANGELOG}.
   *
   * @throws io.onceberg.error.OncebergException when the row lacks it
   */
  long payloadHash(StoredRow row);
}
