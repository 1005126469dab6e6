package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.decode.Decoded;
import io.onceberg.ingest.decode.EventOrigin;
import io.onceberg.ingest.decode.Op;
import io.onceberg.keystore.StoredRow;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetSettings;
import io.onceberg.keystore.TaskTarget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Makes identities for one target by the rules of docs/identity.md, in the version that its keys
 * table began with. Not shared between threads.
 */
public final class IdentityRule {
  private static final long HASH_SEED = 0x9e3779b97f4a7c15L;
  private static final long ROLE_AFTER = 1;
  private static final long ROLE_BEFORE = 2;
  private static final long ROLE_KEY = 3;

  static final String ORDINAL_COLUMN = "ordinal";

  /** The identity columns of a changelog's keys table. */
  private enum Field {
    EPOCH("epoch"),
    SOURCE("source"),
    LSN("lsn"),
    TX_ID("tx_id"),
    OP("op"),
    KEY("key"),
    CONTENT_HASH("content_hash"),
    ORDINAL(ORDINAL_COLUMN),
    KEY_HASH("key_hash");

    private final String column;

    Field(String column) {
      this.column = column;
    }
  }

  private final TargetSettings settings;
  private final DedupPolicy policy;
  private final int version;
  private final StructType identityType;
  private final UnsafeProjection projection;
  private final GenericInternalRow scratch;
  private final ContentHash contentHash;
  private final DataType[] keyTypes;
  private final GenericInternalRow keyScratch;
  private final int[] eventKeyOrdinals;
  private final int[] eventFieldOrdinals;
  private final @Nullable ContentHash keyHash;
  private final EnumMap<Field, Integer> fieldOrdinals = new EnumMap<>(Field.class);

  public IdentityRule(TaskTarget target, DedupPolicy policy) {
    this.settings = target.settings();
    this.policy = policy;
    this.version = target.identityVersion();
    this.identityType = target.identityType();
    this.projection = UnsafeProjection.create(identityType);
    this.scratch = new GenericInternalRow(identityType.size());
    int sourceColumns = target.layout().columns().fields().size();
    List<StructField> columns = new ArrayList<>();
    for (int i = 0; i < sourceColumns; i++) {
      columns.add(target.rowType().fields()[i]);
    }
    StructType columnTypes = new StructType(columns.toArray(StructField[]::new));
    this.contentHash = new ContentHash(columnTypes);
    this.eventKeyOrdinals =
        settings.eventKey().stream().mapToInt(name -> indexOf(columnTypes, name)).toArray();
    this.eventFieldOrdinals =
        settings.eventKey().stream().mapToInt(name -> indexOf(identityType, name)).toArray();
    this.keyHash = keyHash(target);
    this.keyTypes = keyTypes(identityType);
    this.keyScratch = new GenericInternalRow(keyTypes.length);
    for (Field field : Field.values()) {
      fieldOrdinals.put(field, indexOf(identityType, field.column));
    }
  }

  /** The hash that leads business keys of several columns; null where there is none. */
  private static @Nullable ContentHash keyHash(TaskTarget target) {
    int columns = target.settings().eventKey().size();
    StructField[] fields = target.identityType().fields();
    return columns < 2 || target.identityVersion() < 2 || fields.length <= columns
        ? null
        : new ContentHash(new StructType(Arrays.copyOf(fields, columns)));
  }

  /**
   * The identity of a change.
   *
   * @param partition the Kafka partition, which counts only where the policy keeps every occurrence
   */
  Identified identify(Decoded.Change change, int partition, long offset) {
    return settings.kind() == TargetKind.EVENTS
        ? identifyEvent(change)
        : identifyChange(change, partition, offset);
  }

  /** A hash of a change's columns, in hex; the same whenever the change comes again. */
  String content(Decoded.Change change) {
    hashContent(change);
    return HexFormat.of().formatHex(contentBytes());
  }

  private void hashContent(Decoded.Change change) {
    contentHash.reset().add(change.columns(), ROLE_AFTER);
    if (change.before() != null) {
      contentHash.add(change.before(), ROLE_BEFORE);
    }
  }

  private Identified identifyEvent(Decoded.Change change) {
    Op op = change.origin().op();
    if (op != Op.CREATE && op != Op.READ) {
      return new NoIdentity(
          ErrorCode.EVENT_MUTATION,
          "op '%s' on the append-only target %s".formatted(op.letter(), settings.name()));
    }
    for (int i = 0; i < eventKeyOrdinals.length; i++) {
      int ordinal = eventKeyOrdinals[i];
      if (ordinal < 0 || change.columns().isNullAt(ordinal)) {
        return new NoIdentity(
            ErrorCode.NULL_IN_EVENT_KEY,
            "column '%s' of the key of %s is %s"
                .formatted(
                    settings.eventKey().get(i),
                    settings.name(),
                    ordinal < 0 ? "not in the record" : "null"));
      }
      int field = eventFieldOrdinals[i];
      scratch.update(field, change.columns().get(ordinal, identityType.fields()[field].dataType()));
    }
    setKeyHash();
    return finish(false, true, payloadHash(change.columns()));
  }

  /**
   * What is stored beside the key of an event.
   *
   * @param columns the source columns of the target's layout
   */
  public long payloadHash(InternalRow columns) {
    return contentHash.reset().add(columns, ROLE_AFTER).folded();
  }

  private void setKeyHash() {
    if (keyHash != null) {
      set(Field.KEY_HASH, keyHash.reset().add(scratch, ROLE_KEY).folded());
    }
  }

  /** The identity of an event that was stored; valid until the next call. */
  UnsafeRow ofStoredEvent(StoredRow row) {
    for (int i = 0; i < eventFieldOrdinals.length; i++) {
      scratch.update(eventFieldOrdinals[i], row.eventKey(i));
    }
    setKeyHash();
    return projection.apply(scratch);
  }

  /**
   * The identity of a change that was stored; valid until the next call.
   *
   * @param key the record key in the layout of the keys table; null when the record had none
   * @param content the hash that was stored; null for changes that are not known by it
   */
  UnsafeRow ofStoredChange(
      EventOrigin origin,
      int epoch,
      @Nullable InternalRow key,
      byte @Nullable [] content,
      int partition,
      long offset) {
    fill(origin, epoch, key, content, partition, offset);
    return projection.apply(scratch);
  }

  /** Whether changes of tables without a key are told apart here. */
  boolean tellsKeyless() {
    return settings.kind() == TargetKind.CHANGELOG && policy.twins() != DedupPolicy.Twins.KEEP;
  }

  /**
   * Whether it is a change of a table without a key whose place in its transaction is known. Its
   * position and contents do not always tell it from others.
   */
  boolean isKeyless(EventOrigin origin) {
    return tellsKeyless()
        && origin.key() == null
        && origin.lsn() != null
        && origin.op() != Op.READ
        && origin.op() != Op.TRUNCATE
        && origin.ordinal() != null;
  }

  /** Whether the content of a change is part of its identity. */
  static boolean isKnownByContent(Op op, @Nullable InternalRow key) {
    return op == Op.READ || (key == null && op != Op.TRUNCATE);
  }

  private Identified identifyChange(Decoded.Change change, int partition, long offset) {
    EventOrigin origin = change.origin();
    boolean snapshot = origin.op() == Op.READ;
    boolean keyless = origin.key() == null && origin.op() != Op.TRUNCATE;
    if (!snapshot && origin.lsn() == null) {
      return new NoIdentity(
          ErrorCode.NO_POSITION,
          "a change event of %s without source.lsn".formatted(origin.source()));
    }
    if (keyless
        && !snapshot
        && origin.ordinal() == null
        && policy.twins() == DedupPolicy.Twins.REFUSE) {
      return new NoIdentity(
          ErrorCode.TWINS_UNSETTLED,
          ("%s has no key and its events carry no transaction metadata, so two equal rows cannot be"
                  + " told from a replay; set provide.transaction.metadata=true at the connector, or"
                  + " choose table.%s.twins = collapse or keep")
              .formatted(origin.source(), settings.name().table()));
    }
    boolean hashed = isKnownByContent(origin.op(), origin.key());
    if (hashed) {
      hashContent(change);
    }
    fill(
        origin,
        settings.sourceEpoch(),
        canonical(origin.key()),
        hashed ? contentBytes() : null,
        partition,
        offset);
    boolean open = isKeyless(origin);
    if (open) {
      set(Field.ORDINAL, null);
    }
    return finish(open, hashed, 0);
  }

  /** Sets the columns of a change's identity, whether it has just come or was stored. */
  private void fill(
      EventOrigin origin,
      int epoch,
      @Nullable InternalRow key,
      byte @Nullable [] content,
      int partition,
      long offset) {
    boolean snapshot = origin.op() == Op.READ;
    boolean keyless = key == null && origin.op() != Op.TRUNCATE;
    boolean kept = snapshot && policy.snapshot() == DedupPolicy.SnapshotRows.KEEP_EACH;
    boolean positioned = !snapshot || (kept && version < 2);
    set(Field.EPOCH, epoch);
    set(Field.SOURCE, origin.source());
    set(Field.LSN, positioned ? origin.lsn() : null);
    set(Field.TX_ID, snapshot ? null : origin.txId());
    set(Field.OP, origin.op().text());
    set(Field.KEY, key);
    set(Field.CONTENT_HASH, isKnownByContent(origin.op(), key) ? content : null);
    Long ordinal = keyless ? twinOrdinal(origin, partition, offset) : null;
    set(Field.ORDINAL, kept && !positioned && ordinal == null ? origin.lsn() : ordinal);
  }

  /** What tells two equal rows of a table without a key apart, or null when they count as one. */
  private @Nullable Long twinOrdinal(EventOrigin origin, int partition, long offset) {
    if (policy.twins() == DedupPolicy.Twins.KEEP) {
      return Long.MIN_VALUE | ((long) partition << 48) | offset;
    }
    return origin.ordinal();
  }

  /**
   * The key as plain values, which the projection writes in one order. A decoder writes them in the
   * order of arrival, and a nested row would be taken over byte by byte.
   */
  private @Nullable InternalRow canonical(@Nullable UnsafeRow key) {
    if (key == null) {
      return null;
    }
    for (int i = 0; i < keyTypes.length; i++) {
      keyScratch.update(i, key.isNullAt(i) ? null : key.get(i, keyTypes[i]));
    }
    return keyScratch;
  }

  private void set(Field field, @Nullable Object value) {
    int ordinal = Objects.requireNonNull(fieldOrdinals.get(field));
    if (ordinal >= 0) {
      scratch.update(ordinal, value);
    } else if (value != null) {
      throw new IllegalStateException(
          "the keys table of %s has no column %s".formatted(settings.name(), field.column));
    }
  }

  private byte[] contentBytes() {
    return bytes(contentHash.high(), contentHash.low());
  }

  static byte[] bytes(long high, long low) {
    return ByteBuffer.allocate(16).order(ByteOrder.BIG_ENDIAN).putLong(high).putLong(low).array();
  }

  private Identity finish(boolean keyless, boolean hashed, long payloadHash) {
    UnsafeRow row = projection.apply(scratch);
    long hash =
        XXH64.hashUnsafeBytes(
            row.getBaseObject(), row.getBaseOffset(), row.getSizeInBytes(), HASH_SEED);
    return new Identity(
        row,
        hash,
        keyless,
        hashed,
        hashed ? contentHash.high() : 0,
        hashed ? contentHash.low() : 0,
        payloadHash);
  }

  private static DataType[] keyTypes(StructType identityType) {
    int key = indexOf(identityType, Field.KEY.column);
    return key >= 0 && identityType.fields()[key].dataType() instanceof StructType struct
        ? Arrays.stream(struct.fields()).map(StructField::dataType).toArray(DataType[]::new)
        : new DataType[0];
  }

  private static int indexOf(StructType type, String name) {
    StructField[] fields = type.fields();
    for (int i = 0; i < fields.length; i++) {
      if (fields[i].name().equals(name)) {
        return i;
      }
    }
    return -1;
  }
}
