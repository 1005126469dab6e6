package io.onceberg.ingest.decode;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** What a key reader found. Reused from record to record. */
final class RecordKey {
  /** The record has no key at all. */
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
    if (found.fit().ready()) {
      row = found.builder().finish();
      refusal = found.builder().refusal();
      text = refusal == null ? found.text().of(row) : null;
    }
  }

  /** Takes a key that is only printed. */
  void printed(UTF8String json) {
    absent = false;
    text = json;
  }
}
