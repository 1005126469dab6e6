package io.onceberg.keystore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;

/**
 * Looks for identities among the rows of a target whose keys were dropped. Exact, and as slow as
 * reading those files of the dropped days is whose bounds hold any of the positions or keys.
 */
final class DroppedKeyLookup implements KeyLookup {
  /** Iceberg gives up on bounds for longer lists. */
  private static final int LISTED = 200;

  private static final String LSN = "_cdc.position.lsn";
  private static final String CONTENT_HASH = "_cdc.content_hash";

  private final TableImage image;
  private final Table rows;
  private final int droppedBefore;
  private final StoredIdentities stored;
  private final CanonicalIdentities canonical;

  /**
   * Reads nothing yet.
   *
   * @param rows the target's rows at the snapshot that the batch is built on
   * @param droppedBefore the first day whose keys are still there
   * @param stored makes the identities of rows
   */
  DroppedKeyLookup(TableImage image, Table rows, int droppedBefore, StoredIdentities stored) {
    this.image = image;
    this.rows = rows;
    this.droppedBefore = droppedBefore;
    this.stored = stored;
    this.canonical = new CanonicalIdentities(image.identityType);
  }

  @Override
  public KeyHits find(List<UnsafeRow> identities) {
    boolean events = image.settings.kind() == TargetKind.EVENTS;
    BitSet found = new BitSet(identities.size());
    long[] payloadHashes = new long[events ? identities.size() : 0];
    IdentitySet wanted = new IdentitySet(canonical.of(identities));
    forEachOld(
        identities,
        (identity, row) -> {
          int index = wanted.indexOf(canonical.of(identity));
          if (index >= 0 && !found.get(index)) {
            found.set(index);
            if (events) {
              payloadHashes[index] = stored.payloadHash(row);
            }
          }
        });
    return new KeyHits(found, payloadHashes);
  }

  @Override
  public List<StoredOrdinals> ordinals(List<UnsafeRow> identities) {
    EqualButForOrdinal equals = new EqualButForOrdinal(canonical, identities);
    forEachOld(identities, (identity, row) -> equals.offer(identity));
    return equals.ordinals();
  }

  private void forEachOld(List<UnsafeRow> identities, BiConsumer<InternalRow, StoredRow> sink) {
    if (identities.isEmpty()) {
      return;
    }
    try (CloseableIterable<StoredRow> old = StoredRowScan.of(image, rows, filter(identities))) {
      for (StoredRow row : old) {
        InternalRow identity = stored.identity(row);
        if (identity != null) {
          sink.accept(identity, row);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the rows of " + image.settings.name(), e);
    }
  }

  /** Lets pass what may be one of the identities; by it files and row groups are left out. */
  private Expression filter(List<UnsafeRow> identities) {
    return Expressions.and(
        Expressions.lessThan(TableColumns.LOADED_DATE, droppedBefore),
        image.settings.kind() == TargetKind.EVENTS ? keys(identities) : changes(identities));
  }

  private Expression changes(List<UnsafeRow> identities) {
    int lsnAt = position(TableColumns.LSN);
    SortedSet<Object> lsns = new TreeSet<>();
    boolean snapshotRows = false;
    for (UnsafeRow identity : identities) {
      if (identity.isNullAt(lsnAt)) {
        snapshotRows = true;
      } else {
        lsns.add(unsigned(identity.getLong(lsnAt)));
      }
    }
    Expression changes = oneOf(LSN, lsns);
    return snapshotRows ? Expressions.or(changes, Expressions.notNull(CONTENT_HASH)) : changes;
  }

  private static BigDecimal unsigned(long bits) {
    return new BigDecimal(new BigInteger(Long.toUnsignedString(bits)));
  }

  private Expression keys(List<UnsafeRow> identities) {
    Expression all = Expressions.alwaysTrue();
    for (NestedField column : image.eventKey()) {
      Comparator<Object> order = order(column.type());
      if (order != null) {
        int at = position(column.name());
        SortedSet<Object> values = new TreeSet<>(order);
        identities.forEach(row -> values.add(RowStruct.value(row, at, column.type())));
        all = Expressions.and(all, oneOf(column.name(), values));
      }
    }
    return all;
  }

  /**
   * The order of a column's bounds; null where bounds say nothing that can be relied on: NaN lies
   * outside those of floating-point columns, and Iceberg orders UUIDs in another way than Parquet.
   */
  private static @Nullable Comparator<Object> order(Type type) {
    return switch (type.typeId()) {
      case INTEGER, LONG, DATE, TIMESTAMP, STRING, DECIMAL ->
          Comparators.forType(type.asPrimitiveType());
      default -> null;
    };
  }

  private static Expression oneOf(String column, SortedSet<Object> values) {
    if (values.isEmpty()) {
      return Expressions.alwaysFalse();
    }
    return values.size() <= LISTED
        ? Expressions.in(column, (Collection<Object>) values)
        : Expressions.and(
            Expressions.greaterThanOrEqual(column, values.first()),
            Expressions.lessThanOrEqual(column, values.last()));
  }

  private int position(String column) {
    Types.StructType identity = image.identitySchema.asStruct();
    return identity.fields().indexOf(identity.field(column));
  }
}
