package io.onceberg.keystore;

import io.onceberg.keystore.keyfile.KeyColumns;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SerializableTable;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.types.StructType;

/**
 * What of a target's tables tasks need and what does not change from batch to batch: schemas,
 * places, how to reach files. Made once for each version of the schemas, kept in each JVM.
 */
final class TableImage implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final int KEPT = 256;

  /** Images that this JVM has unpacked, by id; the least recently used goes first. */
  private static final Map<String, TableImage> UNPACKED =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, TableImage> eldest) {
          return size() > KEPT;
        }
      };

  final TargetSettings settings;
  final TargetLayout layout;
  final SerializableTable rows;
  final SerializableTable keys;
  final SerializableTable quarantine;
  final Schema rowSchema;
  final Schema identitySchema;
  final Schema keySchema;
  final Schema quarantineSchema;
  final StructType rowType;
  final StructType identityType;
  final int identityVersion;

  TableImage(TargetSettings settings, TargetTables tables) {
    this.settings = settings;
    this.layout = TableColumns.layout(settings, tables);
    this.rows = (SerializableTable) SerializableTable.copyOf(tables.rows());
    this.keys = (SerializableTable) SerializableTable.copyOf(tables.keys());
    this.quarantine = (SerializableTable) SerializableTable.copyOf(tables.quarantine());
    this.rowSchema = TableColumns.rowSchema(tables.rows());
    this.identitySchema = TableColumns.identitySchema(settings, tables.keys());
    this.keySchema = TableColumns.keySchema(settings, tables.keys());
    this.quarantineSchema = TableColumns.quarantineSchema(tables.quarantine());
    this.rowType = SparkSchemaUtil.convert(rowSchema);
    this.identityType = SparkSchemaUtil.convert(identitySchema);
    this.identityVersion = TableMarks.identityVersion(tables.keys());
  }

  /** The columns by which files of the keys table are told apart, most telling first. */
  List<LeadColumn> keyLeads() {
    return settings.kind() == TargetKind.EVENTS
        ? LeadColumn.of(identitySchema, eventOrder().subList(0, 1))
        : LeadColumn.of(identitySchema, List.of(TableColumns.LSN, TableColumns.CONTENT_HASH));
  }

  /** The columns by which key files of business keys are sorted. */
  List<String> eventOrder() {
    return TableColumns.hasKeyHash(settings, keys)
        ? List.of(TableColumns.KEY_HASH)
        : settings.eventKey();
  }

  /** The columns of the business key as the keys table has them; none for a changelog. */
  List<NestedField> eventKey() {
    return settings.eventKey().stream()
        .map(identitySchema::findField)
        .filter(Objects::nonNull)
        .toList();
  }

  /** What a lookup reads of key files: the identity, and the payload hash of an event. */
  KeyColumns keyColumns() {
    List<NestedField> columns = new ArrayList<>(identitySchema.columns());
    if (settings.kind() == TargetKind.EVENTS) {
      columns.add(keySchema.findField(TableColumns.PAYLOAD_HASH));
    }
    return new KeyColumns(columns, keyLeads().stream().map(LeadColumn::position).toList());
  }

  LeadColumn quarantineLead() {
    return LeadColumn.of(quarantineSchema, List.of(TableColumns.IDENTITY_DIGEST)).get(0);
  }

  byte[] pack() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(this);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot serialise target " + settings.name(), e);
    }
    return bytes.toByteArray();
  }

  /** Unpacks an image, or returns the one that this JVM has under this id. */
  static TableImage unpack(String id, byte[] packed) {
    synchronized (UNPACKED) {
      return UNPACKED.computeIfAbsent(id, i -> unpack(packed));
    }
  }

  /** Makes an image known to this JVM, so that it need not be unpacked here. */
  static void keep(String id, TableImage image) {
    synchronized (UNPACKED) {
      UNPACKED.put(id, image);
    }
  }

  /** Makes this JVM unpack anew, as a fresh one does. */
  static void forgetAll() {
    synchronized (UNPACKED) {
      UNPACKED.clear();
    }
  }

  private static TableImage unpack(byte[] packed) {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(packed))) {
      return (TableImage) in.readObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("a class of the driver is unknown here", e);
    }
  }
}
