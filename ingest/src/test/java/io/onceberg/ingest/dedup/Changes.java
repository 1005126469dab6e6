package io.onceberg.ingest.dedup;

import io.onceberg.ingest.decode.Decoded;
import io.onceberg.ingest.decode.EventOrigin;
import io.onceberg.ingest.decode.Op;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Makes decoded changes for {@link StubTarget}'s columns. */
final class Changes {
  private static final StructType COLUMNS =
      new StructType().add("id", DataTypes.LongType).add("name", DataTypes.StringType);
  private static final StructType KEY = new StructType().add("id", DataTypes.LongType);
  private static final UnsafeProjection COLUMNS_ROW = UnsafeProjection.create(COLUMNS);
  private static final UnsafeProjection KEY_ROW = UnsafeProjection.create(KEY);

  private Op op = Op.CREATE;
  private @Nullable Long lsn = 100L;
  private @Nullable Long ordinal;
  private boolean keyed = true;
  private @Nullable Long tsMicros = 1L;
  private @Nullable UnsafeRow before;

  Changes op(Op newOp) {
    op = newOp;
    return this;
  }

  Changes lsn(@Nullable Long newLsn) {
    lsn = newLsn;
    return this;
  }

  Changes ordinal(long newOrdinal) {
    ordinal = newOrdinal;
    return this;
  }

  Changes keyless() {
    keyed = false;
    return this;
  }

  Changes tsMicros(long micros) {
    tsMicros = micros;
    return this;
  }

  Changes before(@Nullable Long id, @Nullable String name) {
    before = columns(id, name);
    return this;
  }

  Decoded.Change row(@Nullable Long id, @Nullable String name) {
    UnsafeRow key = keyed ? row(KEY_ROW, id) : null;
    EventOrigin origin =
        new EventOrigin(
            op,
            UTF8String.fromString("shop.db.public.orders"),
            lsn,
            7L,
            ordinal,
            key,
            keyed ? UTF8String.fromString("{\"id\":" + id + "}") : null,
            tsMicros,
            2L);
    return new Decoded.Change(origin, columns(id, name), before, List.of());
  }

  private static UnsafeRow columns(@Nullable Long id, @Nullable String name) {
    return row(COLUMNS_ROW, id, name == null ? null : UTF8String.fromString(name));
  }

  private static UnsafeRow row(UnsafeProjection projection, @Nullable Object... values) {
    InternalRow row = new GenericInternalRow(values);
    return projection.apply(row).copy();
  }
}
