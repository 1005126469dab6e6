package io.onceberg.ingest.decode;

import io.onceberg.error.ErrorCode;
import io.onceberg.keystore.SourceSchema;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;

/** What one Kafka record turned out to be. Rows inside are valid until the decoder's next call. */
public sealed interface Decoded {
  /** Where the event comes from; null where that is not known, or there is no event. */
  default @Nullable EventOrigin origin() {
    return null;
  }

  /**
   * A change that becomes a row.
   *
   * @param columns the source columns in the layout of {@code TargetLayout.columns}: the state
   *     after the change, for a delete the state before it, for a truncate all null
   * @param before the state before the change in the same layout; only where the settings ask for
   *     it (tables without a key) and the record has one
   * @param unavailable names of columns whose value the source did not send (unchanged TOAST)
   */
  record Change(
      EventOrigin origin, UnsafeRow columns, @Nullable UnsafeRow before, List<String> unavailable)
      implements Decoded {}

  /** A record with a null value. Whether it follows its delete is for the reader to say. */
  record Tombstone() implements Decoded {}

  /** A record that is only counted. */
  record Control(ControlKind kind) implements Decoded {}

  /**
   * A record that goes to quarantine, or stops the target where the code says so.
   *
   * @param origin known when the envelope could be read although a value could not
   */
  record Refused(ErrorCode code, String detail, @Nullable EventOrigin origin) implements Decoded {}

  /** The record needs columns or types that the tables do not have yet; decode it again later. */
  record NewSchema(SourceSchema schema) implements Decoded {}
}
