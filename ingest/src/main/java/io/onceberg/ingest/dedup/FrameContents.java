package io.onceberg.ingest.dedup;

import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TaskTarget;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether two frames of one identity hold the same event. An event of a business key says so
 * by its payload's hash. A change that is known by its position and key should always be the same
 * one; but where the record key is not unique, rows of one statement meet here.
 */
final class FrameContents {
  private static final long ROLE = 1;

  private final TaskTarget target;
  private final boolean events;
  private final UnsafeRow columns;
  private @Nullable ContentHash hash;

  FrameContents(TaskTarget target) {
    this.target = target;
    this.events = target.settings().kind() == TargetKind.EVENTS;
    this.columns = new UnsafeRow(target.rowType().size() - 2);
  }

  boolean same(Frame first, Frame second) {
    if (events) {
      return first.payloadHash() == second.payloadHash();
    }
    return first.has(Frame.HAS_CONTENT_HASH)
        || first.sameBytes(second, Frame.COLUMNS)
        || ofColumns(first) == ofColumns(second);
  }

  /** What is equal when the events are. */
  long of(Frame frame) {
    return events ? frame.payloadHash() : ofColumns(frame);
  }

  /** Equal rows may differ in their bytes: values lie in the order in which they came. */
  private long ofColumns(Frame frame) {
    ContentHash known = hash;
    if (known == null) {
      StructField[] fields = target.rowType().fields();
      known = new ContentHash(new StructType(Arrays.copyOf(fields, columns.numFields())));
      hash = known;
    }
    frame.pointTo(columns, Frame.COLUMNS);
    known.reset().add(columns, ROLE);
    return known.high() ^ Long.rotateLeft(known.low(), 32);
  }
}
