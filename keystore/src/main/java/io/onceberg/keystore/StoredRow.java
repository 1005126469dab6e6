package io.onceberg.keystore;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.util.DateTimeUtil;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * One row of a target, with all that its identity is made of and nothing else. One object shows row
 * after row.
 */
public final class StoredRow {
  private final Map<Part, Integer> cdc = new EnumMap<>(Part.class);
  private final int cdcAt;
  private final int loadedDateAt;
  private final int lsnAt;
  private final int[] keys;
  private final Type[] keyTypes;
  private @Nullable Record row;
  private @Nullable Record changed;

  /**
   * Shows nothing yet.
   *
   * @param read the columns of the rows, as they are read
   * @param eventKey the columns of the business key with the types of the keys table
   */
  StoredRow(Types.StructType read, List<NestedField> eventKey) {
    this.cdcAt = at(read, TableColumns.CDC);
    this.loadedDateAt = at(read, TableColumns.LOADED_DATE);
    Types.StructType struct = read.fields().get(cdcAt).type().asStructType();
    for (Part part : Part.values()) {
      cdc.put(part, at(struct, part.column));
    }
    NestedField position = struct.field(Part.POSITION.column);
    this.lsnAt = position == null ? -1 : at(position.type().asStructType(), TableColumns.LSN);
    this.keys = eventKey.stream().mapToInt(f -> at(read, f.name())).toArray();
    this.keyTypes = eventKey.stream().map(NestedField::type).toArray(Type[]::new);
  }

  /** Fields of {@code _cdc} that identities are made of. */
  private enum Part {
    OP("op"),
    POSITION("position"),
    TX_ID("tx_id"),
    ORDINAL("ordinal"),
    SOURCE("source"),
    EPOCH("epoch"),
    KEY(TableColumns.KEY),
    CONTENT_HASH(TableColumns.CONTENT_HASH),
    PARTITION("partition"),
    OFFSET("offset");

    private final String column;

    Part(String column) {
      this.column = column;
    }
  }

  private static int at(Types.StructType struct, String name) {
    NestedField field = struct.field(name);
    return field == null ? -1 : struct.fields().indexOf(field);
  }

  StoredRow show(Record next) {
    row = next;
    changed = (Record) next.get(cdcAt);
    return this;
  }

  private @Nullable Object cdc(Part part) {
    return changed == null ? null : changed.get(Objects.requireNonNull(cdc.get(part)));
  }

  /** Debezium's letter for the change; null where another writer made the row. */
  public @Nullable String op() {
    return (String) cdc(Part.OP);
  }

  public @Nullable Integer epoch() {
    return (Integer) cdc(Part.EPOCH);
  }

  public @Nullable String source() {
    return (String) cdc(Part.SOURCE);
  }

  /** The 64 bits of the unsigned number. */
  public @Nullable Long lsn() {
    StructLike position = (StructLike) cdc(Part.POSITION);
    BigDecimal lsn = position == null ? null : position.get(lsnAt, BigDecimal.class);
    return lsn == null ? null : lsn.toBigInteger().longValue();
  }

  public @Nullable Long txId() {
    String txId = (String) cdc(Part.TX_ID);
    return txId == null ? null : Long.valueOf(txId);
  }

  public @Nullable Long ordinal() {
    return (Long) cdc(Part.ORDINAL);
  }

  /** The record's key as JSON; null when it had none. */
  public @Nullable String key() {
    return (String) cdc(Part.KEY);
  }

  /** The 16 bytes of the content hash; null where none was stored. */
  public byte @Nullable [] contentHash() {
    return (byte[]) cdc(Part.CONTENT_HASH);
  }

  /** Kafka's partition; -1 where another writer made the row. */
  public int partition() {
    Object partition = cdc(Part.PARTITION);
    return partition == null ? -1 : (Integer) partition;
  }

  /** Kafka's offset; -1 where another writer made the row. */
  public long offset() {
    Object offset = cdc(Part.OFFSET);
    return offset == null ? -1 : (Long) offset;
  }

  /** The day of its batch; null where another writer made the row. */
  @Nullable LocalDate loadedDate() {
    return row == null ? null : (LocalDate) row.get(loadedDateAt);
  }

  /** A column of the business key, in Spark's internal form of its type in the keys table. */
  public @Nullable Object eventKey(int number) {
    Object value = row == null ? null : row.get(keys[number]);
    return value == null ? null : internal(value, keyTypes[number]);
  }

  private static Object internal(Object value, Type type) {
    return switch (type.typeId()) {
      case LONG -> ((Number) value).longValue();
      case DOUBLE -> ((Number) value).doubleValue();
      case DATE -> (int) ((LocalDate) value).toEpochDay();
      case TIMESTAMP ->
          value instanceof OffsetDateTime zoned
              ? DateTimeUtil.microsFromTimestamptz(zoned)
              : DateTimeUtil.microsFromTimestamp((LocalDateTime) value);
      case STRING -> UTF8String.fromString((String) value);
      case UUID -> UTF8String.fromString(((UUID) value).toString());
      case BINARY -> bytes((ByteBuffer) value);
      case DECIMAL -> decimal((BigDecimal) value, (Types.DecimalType) type);
      default -> value;
    };
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static Decimal decimal(BigDecimal value, Types.DecimalType type) {
    return Decimal.apply(value, type.precision(), type.scale());
  }
}
