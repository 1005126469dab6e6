package io.onceberg.ingest.dedup;

import io.onceberg.keystore.KeyHits;
import io.onceberg.keystore.KeyLookup;
import io.onceberg.keystore.StoredIdentities;
import io.onceberg.keystore.StoredOrdinals;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetLayout;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.TargetSettings;
import io.onceberg.keystore.TargetWriter;
import io.onceberg.keystore.TaskTarget;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** A target without tables, for the parts of deduplication that touch none. */
final class StubTarget implements TaskTarget {
  private static final long serialVersionUID = 1L;

  private final TargetKind kind;
  private final List<String> eventKey;
  private final int identityVersion;
  private final HashMap<UnsafeRow, StoredOrdinals> storedOrdinals = new HashMap<>();

  private StubTarget(TargetKind kind, List<String> eventKey, int identityVersion) {
    this.kind = kind;
    this.eventKey = eventKey;
    this.identityVersion = identityVersion;
  }

  /** Columns id bigint, name string; key id. */
  static StubTarget changelog() {
    return new StubTarget(TargetKind.CHANGELOG, List.of(), 2);
  }

  /** The same columns, known by these. */
  static StubTarget events(String... key) {
    return new StubTarget(TargetKind.EVENTS, List.of(key), 2);
  }

  /** The same target with tables that an earlier version made. */
  StubTarget version(int version) {
    return new StubTarget(kind, eventKey, version);
  }

  @Override
  public int identityVersion() {
    return identityVersion;
  }

  @Override
  public TargetSettings settings() {
    return new TargetSettings(
        TargetName.parse("shop.orders"),
        kind,
        eventKey,
        List.of(),
        3,
        TargetSettings.NewColumns.APPEND,
        Map.of());
  }

  @Override
  public TargetLayout layout() {
    return new TargetLayout(
        Types.StructType.of(
            Types.NestedField.optional(1, "id", Types.LongType.get()),
            Types.NestedField.optional(2, "name", Types.StringType.get())),
        Types.StructType.of(Types.NestedField.optional(3, "id", Types.LongType.get())));
  }

  @Override
  public StructType rowType() {
    return new StructType()
        .add("id", DataTypes.LongType)
        .add("name", DataTypes.StringType)
        .add("_cdc", new StructType())
        .add("loaded_date", DataTypes.DateType);
  }

  @Override
  public StructType identityType() {
    if (kind == TargetKind.EVENTS) {
      StructType type = new StructType();
      for (String column : eventKey) {
        type = type.add(column, rowType().apply(column).dataType());
      }
      boolean hashed = eventKey.size() > 1 && identityVersion > 1;
      return hashed ? type.add("key_hash", DataTypes.LongType) : type;
    }
    return new StructType()
        .add("epoch", DataTypes.IntegerType)
        .add("source", DataTypes.StringType)
        .add("lsn", DataTypes.LongType)
        .add("tx_id", DataTypes.LongType)
        .add("op", DataTypes.StringType)
        .add("key", new StructType().add("id", DataTypes.LongType))
        .add("content_hash", DataTypes.BinaryType)
        .add("ordinal", DataTypes.LongType);
  }

  @Override
  public KeyLookup lookup() {
    return new KeyLookup() {
      @Override
      public KeyHits find(List<UnsafeRow> identities) {
        return new KeyHits(new BitSet(), new long[identities.size()]);
      }

      @Override
      public List<StoredOrdinals> ordinals(List<UnsafeRow> identities) {
        return identities.stream().map(StubTarget.this::copyOfOrdinals).toList();
      }
    };
  }

  /** What a lookup finds, by identities without ordinal. */
  Map<UnsafeRow, StoredOrdinals> storedOrdinals() {
    return storedOrdinals;
  }

  private StoredOrdinals copyOfOrdinals(UnsafeRow identity) {
    StoredOrdinals copy = new StoredOrdinals();
    copy.addAll(storedOrdinals.getOrDefault(identity, new StoredOrdinals()));
    return copy;
  }

  @Override
  public OptionalInt keysDroppedBefore() {
    return OptionalInt.empty();
  }

  @Override
  public KeyHits findDropped(List<UnsafeRow> identities, StoredIdentities stored) {
    throw new UnsupportedOperationException("no tables here");
  }

  @Override
  public List<StoredOrdinals> ordinalsDropped(List<UnsafeRow> identities, StoredIdentities stored) {
    throw new UnsupportedOperationException("no tables here");
  }

  @Override
  public Set<ByteBuffer> quarantined(Collection<ByteBuffer> identityDigests) {
    return Set.of();
  }

  @Override
  public TargetWriter writer(int loadedDate, int task, int tasks, long taskAttemptId) {
    throw new UnsupportedOperationException("no tables here");
  }
}
