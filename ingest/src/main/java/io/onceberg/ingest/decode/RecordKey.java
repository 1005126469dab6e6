package io.onceberg.ingest.decode;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** What a key reader found. Reused from record to record. */
final class RecordKey {
  /** The record has no key, or one of nothing but nulls. */
  boolean absent = true;

  @Nullable KeyFit fit;
  @Nullable UnsafeRow row;
  @Nullable UTF8String text;
  @Nullable RefusedValue refusal;

  void start() {
    absent = true;
    fit = null;
    row = null;
    text = null;
    refusal = null;
  }

  /** Takes the row that was built by {@code fit}'s plan. */
  void built(KeyFit found) {
    absent = false;
    fit = found;
    if (!found.fit().ready()) {
      return;
    }
    UnsafeRow built = found.builder().finish();
    refusal = found.builder().refusal();
    if (refusal == null && isEmpty(built)) {
      absent = true;
      return;
    }
    row = built;
    text = refusal == null ? found.text().of(built) : null;
  }

  /** A key of nothing but nulls, or of no column that is known, tells no row from another. */
  private static boolean isEmpty(UnsafeRow key) {
    for (int i = 0; i < key.numFields(); i++) {
      if (!key.isNullAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Takes a key that is only printed. */
  void printed(UTF8String json) {
    absent = false;
    text = json;
  }
}
