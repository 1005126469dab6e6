package io.onceberg.ingest.decode;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.JsonProperties;
import org.apache.avro.LogicalTypes;
import org.apache.avro.generic.GenericData;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/** From Connect schemas and data to Avro's, the inverse of {@link AvroSchemas}. */
final class AvroWriting {
  private static final int DEFAULT_PRECISION = 64;

  private final Map<Schema, org.apache.avro.Schema> records = new HashMap<>();

  private AvroWriting() {}

  /** The Avro schema of a Connect schema. */
  static org.apache.avro.Schema toAvro(Schema schema) {
    return new AvroWriting().avro(schema);
  }

  private org.apache.avro.Schema avro(Schema schema) {
    org.apache.avro.Schema present = present(schema);
    return schema.isOptional()
        ? org.apache.avro.Schema.createUnion(
            org.apache.avro.Schema.create(org.apache.avro.Schema.Type.NULL), present)
        : present;
  }

  private org.apache.avro.Schema present(Schema schema) {
    if (schema.type() == Schema.Type.STRUCT) {
      org.apache.avro.Schema known = records.get(schema);
      return known == null ? record(schema) : known;
    }
    org.apache.avro.Schema avro = plain(schema);
    properties(schema, avro);
    return avro;
  }

  private org.apache.avro.Schema plain(Schema schema) {
    return switch (schema.type()) {
      case INT8 -> typed("int8");
      case INT16 -> typed("int16");
      case INT32 -> create(org.apache.avro.Schema.Type.INT);
      case INT64 -> create(org.apache.avro.Schema.Type.LONG);
      case FLOAT32 -> create(org.apache.avro.Schema.Type.FLOAT);
      case FLOAT64 -> create(org.apache.avro.Schema.Type.DOUBLE);
      case BOOLEAN -> create(org.apache.avro.Schema.Type.BOOLEAN);
      case STRING -> create(org.apache.avro.Schema.Type.STRING);
      case BYTES -> create(org.apache.avro.Schema.Type.BYTES);
      case ARRAY -> org.apache.avro.Schema.createArray(avro(schema.valueSchema()));
      case MAP -> map(schema);
      case STRUCT -> throw new DataException("a struct is a record");
    };
  }

  private static org.apache.avro.Schema create(org.apache.avro.Schema.Type type) {
    return org.apache.avro.Schema.create(type);
  }

  private static org.apache.avro.Schema typed(String connectType) {
    org.apache.avro.Schema avro = create(org.apache.avro.Schema.Type.INT);
    avro.addProp(AvroSchemas.TYPE, connectType);
    return avro;
  }

  private org.apache.avro.Schema map(Schema schema) {
    if (isStringKeyed(schema)) {
      return org.apache.avro.Schema.createMap(avro(schema.valueSchema()));
    }
    org.apache.avro.Schema entry =
        org.apache.avro.Schema.createRecord(
            AvroSchemas.MAP_ENTRY, null, AvroSchemas.NAMESPACE, false);
    entry.addProp(AvroSchemas.INTERNAL_TYPE, AvroSchemas.MAP_ENTRY);
    entry.setFields(
        List.of(
            new org.apache.avro.Schema.Field("key", avro(schema.keySchema())),
            new org.apache.avro.Schema.Field("value", avro(schema.valueSchema()))));
    return org.apache.avro.Schema.createArray(entry);
  }

  private static boolean isStringKeyed(Schema map) {
    return map.keySchema().type() == Schema.Type.STRING && !map.keySchema().isOptional();
  }

  private org.apache.avro.Schema record(Schema schema) {
    String full =
        schema.name() == null
            ? AvroSchemas.NAMESPACE + "." + AvroSchemas.DEFAULT_RECORD
            : schema.name();
    int dot = full.lastIndexOf('.');
    String namespace = dot < 0 ? null : full.substring(0, dot);
    org.apache.avro.Schema record =
        org.apache.avro.Schema.createRecord(full.substring(dot + 1), null, namespace, false);
    records.put(schema, record);
    List<org.apache.avro.Schema.Field> fields = new ArrayList<>();
    for (Field field : schema.fields()) {
      Object absent = field.schema().isOptional() ? JsonProperties.NULL_VALUE : null;
      fields.add(
          new org.apache.avro.Schema.Field(field.name(), avro(field.schema()), null, absent));
    }
    record.setFields(fields);
    properties(schema, record);
    return record;
  }

  private static void properties(Schema schema, org.apache.avro.Schema avro) {
    if (schema.name() != null) {
      avro.addProp(AvroSchemas.NAME, schema.name());
      logical(schema, avro);
    }
    if (schema.version() != null) {
      avro.addProp(AvroSchemas.VERSION, schema.version());
    }
    if (schema.parameters() != null && !schema.parameters().isEmpty()) {
      avro.addProp(AvroSchemas.PARAMETERS, new LinkedHashMap<>(schema.parameters()));
    }
  }

  private static void logical(Schema schema, org.apache.avro.Schema avro) {
    switch (schema.name()) {
      case Decimal.LOGICAL_NAME -> decimal(schema, avro);
      case org.apache.kafka.connect.data.Date.LOGICAL_NAME -> LogicalTypes.date().addToSchema(avro);
      case Time.LOGICAL_NAME -> LogicalTypes.timeMillis().addToSchema(avro);
      case org.apache.kafka.connect.data.Timestamp.LOGICAL_NAME ->
          LogicalTypes.timestampMillis().addToSchema(avro);
      default -> avro.getProp(AvroSchemas.NAME); // a name alone
    }
  }

  private static void decimal(Schema schema, org.apache.avro.Schema avro) {
    String precision = schema.parameters().get("connect.decimal.precision");
    int scale = ColumnTypes.scale(schema);
    int digits = precision == null ? DEFAULT_PRECISION : Integer.parseInt(precision);
    if (scale >= 0 && scale <= digits) {
      LogicalTypes.decimal(digits, scale).addToSchema(avro);
    }
  }

  /** The value in the form that Avro's generic writer takes. */
  static @Nullable Object toAvro(
      Schema schema, org.apache.avro.Schema avro, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    org.apache.avro.Schema present = AvroSchemas.present(avro);
    if (value instanceof Struct struct) {
      return record(struct, present);
    }
    return switch (schema.type()) {
      case INT8, INT16 -> ((Number) value).intValue();
      case INT32, INT64 -> whole(schema, value);
      case BYTES -> bytes(schema, value);
      case ARRAY -> list(schema, present, (List<?>) value);
      case MAP -> map(schema, present, (Map<?, ?>) value);
      default -> value;
    };
  }

  private static Object whole(Schema schema, Object value) {
    if (!(value instanceof Date date)) {
      return value;
    }
    long millis = date.toInstant().toEpochMilli();
    if (schema.type() == Schema.Type.INT64) {
      return millis;
    }
    boolean day = org.apache.kafka.connect.data.Date.LOGICAL_NAME.equals(schema.name());
    return (int) (day ? Math.floorDiv(millis, 86_400_000L) : millis);
  }

  private static ByteBuffer bytes(Schema schema, Object value) {
    if (value instanceof BigDecimal decimal) {
      return ByteBuffer.wrap(Decimal.fromLogical(schema, decimal));
    }
    return value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : (ByteBuffer) value;
  }

  private static GenericData.Record record(Struct struct, org.apache.avro.Schema avro) {
    GenericData.Record record = new GenericData.Record(avro);
    for (Field field : struct.schema().fields()) {
      org.apache.avro.Schema.Field target = avro.getFields().get(field.index());
      record.put(
          field.index(),
          toAvro(field.schema(), target.schema(), struct.getWithoutDefault(field.name())));
    }
    return record;
  }

  private static List<@Nullable Object> list(
      Schema schema, org.apache.avro.Schema avro, List<?> values) {
    List<@Nullable Object> list = new ArrayList<>(values.size());
    for (Object value : values) {
      list.add(toAvro(schema.valueSchema(), avro.getElementType(), value));
    }
    return list;
  }

  private static Object map(Schema schema, org.apache.avro.Schema avro, Map<?, ?> values) {
    if (avro.getType() == org.apache.avro.Schema.Type.MAP) {
      Map<Object, @Nullable Object> map = new LinkedHashMap<>();
      values.forEach((k, v) -> map.put(k, toAvro(schema.valueSchema(), avro.getValueType(), v)));
      return map;
    }
    org.apache.avro.Schema entry = avro.getElementType();
    List<Object> entries = new ArrayList<>();
    values.forEach(
        (k, v) -> {
          GenericData.Record pair = new GenericData.Record(entry);
          pair.put(0, toAvro(schema.keySchema(), entry.getFields().get(0).schema(), k));
          pair.put(1, toAvro(schema.valueSchema(), entry.getFields().get(1).schema(), v));
          entries.add(pair);
        });
    return entries;
  }
}
