package io.onceberg.it.bench.keys;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.dedup.IdentityRule;
import io.onceberg.keystore.TaskTarget;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Makes events into rows of the target as the daemon would write them. Not shared between threads.
 */
final class TargetRows {
  static final String TOPIC = "bench.stored.events";
  static final String SOURCE = "bench.shop.public.events";

  private static final int PARTITIONS = 4;
  private static final List<String> CDC_FIELDS =
      List.of(
          "op",
          "ts",
          "source_ts",
          "position",
          "tx_id",
          "ordinal",
          "source",
          "epoch",
          "key",
          "content_hash",
          "unavailable",
          "topic",
          "partition",
          "offset");

  private final Event event = new Event();
  private final UnsafeRowWriter columns = new UnsafeRowWriter(Event.COLUMNS.fields().size(), 1024);
  private final GenericInternalRow cdc = new GenericInternalRow(CDC_FIELDS.size());
  private final GenericInternalRow position = new GenericInternalRow(1);
  private final JoinedRow row = new JoinedRow();
  private final IdentityRule identities;

  TargetRows(TaskTarget target, DedupPolicy policy, int loadedDate) {
    check(target.rowType());
    identities = new IdentityRule(target, policy);
    cdc.update(0, UTF8String.fromString("c"));
    cdc.update(3, position);
    cdc.update(6, UTF8String.fromString(SOURCE));
    cdc.update(7, 0);
    cdc.update(11, UTF8String.fromString(TOPIC));
    GenericInternalRow meta = new GenericInternalRow(2);
    meta.update(0, cdc);
    meta.update(1, loadedDate);
    row.withRight(meta);
  }

  private static void check(StructType type) {
    List<String> names = Event.COLUMNS.fields().stream().map(NestedField::name).toList();
    StructType cdcType = (StructType) type.apply("_cdc").dataType();
    if (!Arrays.asList(type.fieldNames()).subList(0, names.size()).equals(names)
        || !List.of(cdcType.fieldNames()).equals(CDC_FIELDS)) {
      throw new IllegalStateException("the target's rows are " + type.catalogString());
    }
  }

  /** Goes to the event of this number. */
  TargetRows at(long number) {
    event.at(number);
    columns.reset();
    columns.zeroOutNullBytes();
    event.write(columns);
    return this;
  }

  /** The event's row; valid until the next one. */
  InternalRow row() {
    cdc.update(1, event.createdAt() + 40_000);
    cdc.update(2, event.createdAt());
    position.update(0, Decimal.createUnsafe(event.lsn(), 20, 0));
    cdc.update(4, UTF8String.fromString(Long.toString(event.txId())));
    cdc.update(8, UTF8String.fromString(event.keyJson()));
    cdc.update(12, (int) (event.number() % PARTITIONS));
    cdc.update(13, event.number() / PARTITIONS);
    return row.withLeft(columns.getRow());
  }

  /** The event's identity, a row of its own. */
  UnsafeRow identity() {
    return event.identity();
  }

  /** What is stored beside the identity. */
  long payloadHash() {
    return identities.payloadHash(columns.getRow());
  }
}
