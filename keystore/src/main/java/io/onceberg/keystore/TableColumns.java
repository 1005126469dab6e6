package io.onceberg.keystore;

import static org.apache.iceberg.types.Types.NestedField.optional;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/**
 * The columns that the three tables have besides those of the source. Field ids here only have to
 * differ from each other: a catalog gives a new table ids of its own.
 */
final class TableColumns {
  static final String CDC = "_cdc";
  static final String LOADED_DATE = "loaded_date";
  static final String LSN = "lsn";
  static final String KEY = "key";
  static final String CONTENT_HASH = "content_hash";
  static final String ORDINAL = "ordinal";
  static final String PAYLOAD_HASH = "payload_hash";

  /** Leads composite business keys: by itself, their first column may have few values. */
  static final String KEY_HASH = "key_hash";

  static final String IDENTITY_DIGEST = "identity_digest";

  private static final int HASH_BYTES = 16;

  /** Names in the rows table that no source column may have. */
  static final Set<String> RESERVED = Set.of(CDC, LOADED_DATE);

  private static final NestedField LOADED = optional(2, LOADED_DATE, Types.DateType.get());

  private static final Types.StructType POSITION =
      Types.StructType.of(optional(20, LSN, Types.DecimalType.of(20, 0)));

  /** The rows table before any source column is known. */
  static final Schema ROWS =
      new Schema(
          optional(
              1,
              CDC,
              Types.StructType.of(
                  optional(3, "op", Types.StringType.get()),
                  optional(4, "ts", Types.TimestampType.withZone()),
                  optional(5, "source_ts", Types.TimestampType.withZone()),
                  optional(6, "position", POSITION),
                  optional(7, "tx_id", Types.StringType.get()),
                  optional(8, ORDINAL, Types.LongType.get()),
                  optional(9, "source", Types.StringType.get()),
                  optional(10, "epoch", Types.IntegerType.get()),
                  optional(11, KEY, Types.StringType.get()),
                  optional(12, CONTENT_HASH, Types.FixedType.ofLength(HASH_BYTES)),
                  optional(
                      13, "unavailable", Types.ListType.ofOptional(21, Types.StringType.get())),
                  optional(14, "topic", Types.StringType.get()),
                  optional(15, "partition", Types.IntegerType.get()),
                  optional(16, "offset", Types.LongType.get()))),
          LOADED);

  /** The keys table of a changelog before its source's key is known. */
  static final Schema CHANGELOG_KEYS =
      new Schema(
          optional(3, "epoch", Types.IntegerType.get()),
          optional(4, "source", Types.StringType.get()),
          optional(5, LSN, Types.LongType.get()),
          optional(6, "tx_id", Types.LongType.get()),
          optional(7, "op", Types.StringType.get()),
          optional(8, CONTENT_HASH, Types.FixedType.ofLength(HASH_BYTES)),
          optional(9, ORDINAL, Types.LongType.get()),
          LOADED);

  /** The keys table of an events target before its key columns are known. */
  static final Schema EVENT_KEYS =
      new Schema(optional(3, PAYLOAD_HASH, Types.LongType.get()), LOADED);

  /** The same for a business key of several columns. */
  static final Schema COMPOSITE_EVENT_KEYS =
      new Schema(
          optional(4, KEY_HASH, Types.LongType.get()),
          optional(3, PAYLOAD_HASH, Types.LongType.get()),
          LOADED);

  static final Schema QUARANTINE =
      new Schema(
          optional(3, IDENTITY_DIGEST, Types.FixedType.ofLength(HASH_BYTES)),
          optional(4, "error", Types.IntegerType.get()),
          optional(5, "error_name", Types.StringType.get()),
          optional(6, "detail", Types.StringType.get()),
          optional(7, "topic", Types.StringType.get()),
          optional(8, "topic_id", Types.StringType.get()),
          optional(9, "partition", Types.IntegerType.get()),
          optional(10, "offset", Types.LongType.get()),
          optional(11, "record_ts", Types.TimestampType.withZone()),
          optional(12, KEY, Types.BinaryType.get()),
          optional(13, "value", Types.BinaryType.get()),
          optional(14, "quarantined_at", Types.TimestampType.withZone()),
          LOADED);

  private TableColumns() {}

  /** The source columns of a rows table, in its order. */
  static Types.StructType source(Schema rows) {
    return Types.StructType.of(
        rows.columns().stream().filter(f -> !RESERVED.contains(f.name())).toList());
  }

  /** The columns of a new keys table before those of its source are known. */
  static Schema keys(TargetSettings settings) {
    if (settings.kind() == TargetKind.CHANGELOG) {
      return CHANGELOG_KEYS;
    }
    return settings.eventKey().size() > 1 ? COMPOSITE_EVENT_KEYS : EVENT_KEYS;
  }

  /** The order of a new keys table; none where its columns are not known yet. */
  static SortOrder keyOrder(TargetSettings settings) {
    if (settings.kind() == TargetKind.CHANGELOG) {
      return SortOrder.builderFor(CHANGELOG_KEYS).asc(LSN).asc(CONTENT_HASH).build();
    }
    return settings.eventKey().size() > 1
        ? SortOrder.builderFor(COMPOSITE_EVENT_KEYS).asc(KEY_HASH).build()
        : SortOrder.unsorted();
  }

  /** Whether identities carry a hash of the business key. Tables of version 1 have none. */
  static boolean hasKeyHash(TargetSettings settings, Table keys) {
    return settings.eventKey().size() > 1 && TableMarks.identityVersion(keys) > 1;
  }

  static TargetLayout layout(TargetSettings settings, TargetTables tables) {
    Type key = tables.keys().schema().findType(KEY);
    boolean changelog = settings.kind() == TargetKind.CHANGELOG;
    return new TargetLayout(
        source(tables.rows().schema()),
        changelog && key != null && key.isStructType() ? key.asStructType() : null);
  }

  /** A row as tasks write it: source columns, {@code _cdc}, loaded_date, with the table's ids. */
  static Schema rowSchema(Table rows) {
    List<NestedField> fields = new ArrayList<>(source(rows.schema()).fields());
    fields.addAll(like(rows, ROWS.asStruct(), rows.schema().asStruct()));
    return new Schema(fields);
  }

  /** An identity, with the table's ids. */
  static Schema identitySchema(TargetSettings settings, Table keys) {
    Types.StructType columns = keys.schema().asStruct();
    if (settings.kind() == TargetKind.EVENTS) {
      List<NestedField> key = new ArrayList<>();
      settings.eventKey().stream().map(columns::field).filter(f -> f != null).forEach(key::add);
      if (hasKeyHash(settings, keys)) {
        key.addAll(like(keys, COMPOSITE_EVENT_KEYS.select(KEY_HASH).asStruct(), columns));
      }
      return new Schema(key);
    }
    List<NestedField> fields = new ArrayList<>(like(keys, CHANGELOG_KEYS.asStruct(), columns));
    fields.removeIf(f -> f.name().equals(LOADED_DATE));
    NestedField key = columns.field(KEY);
    if (key != null) {
      fields.add(indexOf(fields, CONTENT_HASH), key);
    }
    return new Schema(fields);
  }

  /** A row of the keys table as tasks write it: identity, payload hash of an event, loaded_date. */
  static Schema keySchema(TargetSettings settings, Table keys) {
    List<NestedField> fields = new ArrayList<>(identitySchema(settings, keys).columns());
    Schema tail =
        settings.kind() == TargetKind.EVENTS ? EVENT_KEYS : CHANGELOG_KEYS.select(LOADED_DATE);
    fields.addAll(like(keys, tail.asStruct(), keys.schema().asStruct()));
    return new Schema(fields);
  }

  static Schema quarantineSchema(Table quarantine) {
    return new Schema(like(quarantine, QUARANTINE.asStruct(), quarantine.schema().asStruct()));
  }

  /** The fields of {@code wanted}, in its order, as the table has them. */
  private static List<NestedField> like(
      Table table, Types.StructType wanted, Types.StructType actual) {
    List<NestedField> fields = new ArrayList<>();
    for (NestedField want : wanted.fields()) {
      NestedField have = actual.field(want.name());
      if (have == null || have.type().typeId() != want.type().typeId()) {
        throw new OncebergException(
            ErrorCode.COLUMN_LOST,
            "table %s needs column '%s' of type %s but has %s; restore it (roll the table back to a"
                    .formatted(table.name(), want.name(), want.type(), have)
                + " schema that has it) or rebuild the target");
      }
      fields.add(
          want.type() instanceof Types.StructType inner
              ? optional(have.fieldId(), have.name(), struct(table, inner, have.type()))
              : have);
    }
    return fields;
  }

  private static Types.StructType struct(Table table, Types.StructType wanted, Type actual) {
    return Types.StructType.of(like(table, wanted, actual.asStructType()));
  }

  private static int indexOf(List<NestedField> fields, String name) {
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalStateException("no column " + name + " in " + fields);
  }
}
