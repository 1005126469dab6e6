package io.onceberg.ingest.dedup;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Makes rows of the target table from frames: source columns, {@code _cdc}, loaded_date. */
final class RowAssembly {
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

  private final List<UTF8String> topics;
  private final UnsafeRow columns;
  private final GenericInternalRow cdc = new GenericInternalRow(CDC_FIELDS.size());
  private final GenericInternalRow position = new GenericInternalRow(1);
  private final JoinedRow row = new JoinedRow();

  RowAssembly(BatchSpec batch, TargetSpec target) {
    StructType rowType = target.tables().rowType();
    int sourceColumns = rowType.size() - 2;
    StructType cdcType = (StructType) rowType.fields()[sourceColumns].dataType();
    if (!List.of(cdcType.fieldNames()).equals(CDC_FIELDS)) {
      throw new IllegalStateException("_cdc is " + cdcType.catalogString());
    }
    topics = batch.topics().stream().map(UTF8String::fromString).toList();
    columns = new UnsafeRow(sourceColumns);
    cdc.update(7, target.tables().settings().sourceEpoch());
    GenericInternalRow meta = new GenericInternalRow(2);
    meta.update(0, cdc);
    meta.update(1, batch.loadedDate());
    row.apply(columns, meta);
  }

  /** The row of a frame; valid until the next call. */
  InternalRow assemble(Frame frame) {
    frame.pointTo(columns, Frame.COLUMNS);
    cdc.update(0, frame.op().text());
    cdc.update(1, frame.optional(Frame.HAS_TS, Frame.TS));
    cdc.update(2, frame.optional(Frame.HAS_SOURCE_TS, Frame.SOURCE_TS));
    cdc.update(3, position(frame));
    cdc.update(4, txId(frame));
    cdc.update(5, frame.optional(Frame.HAS_ORDINAL, Frame.ORDINAL));
    cdc.update(6, frame.text(Frame.SOURCE));
    cdc.update(8, frame.text(Frame.KEY_TEXT));
    cdc.update(9, frame.contentHash());
    cdc.update(10, unavailable(frame));
    cdc.update(11, topics.get(frame.topic()));
    cdc.update(12, frame.partition());
    cdc.update(13, frame.offset());
    return row;
  }

  private @Nullable InternalRow position(Frame frame) {
    Long lsn = frame.optional(Frame.HAS_LSN, Frame.LSN);
    if (lsn == null) {
      return null;
    }
    position.update(0, unsigned(lsn));
    return position;
  }

  /** The 64 bits read as an unsigned number. */
  private static Decimal unsigned(long bits) {
    if (bits >= 0) {
      return Decimal.createUnsafe(bits, 20, 0);
    }
    return Decimal.apply(new BigDecimal(new BigInteger(Long.toUnsignedString(bits))), 20, 0);
  }

  private static @Nullable UTF8String txId(Frame frame) {
    Long txId = frame.optional(Frame.HAS_TX_ID, Frame.TX_ID);
    return txId == null ? null : UTF8String.fromString(Long.toString(txId));
  }

  private static @Nullable GenericArrayData unavailable(Frame frame) {
    UTF8String names = frame.text(Frame.UNAVAILABLE);
    if (names == null) {
      return null;
    }
    Object[] each = names.split(UTF8String.fromString("\n"), -1);
    return new GenericArrayData(each);
  }
}
