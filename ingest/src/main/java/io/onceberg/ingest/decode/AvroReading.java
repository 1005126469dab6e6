package io.onceberg.ingest.decode;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.jspecify.annotations.Nullable;

/** From Avro's generic data to Connect data of the schema that {@link AvroSchemas} made. */
final class AvroReading {
  private AvroReading() {}

  static @Nullable Object toConnect(Schema schema, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    return switch (schema.type()) {
      case INT8 -> ((Number) value).byteValue();
      case INT16 -> ((Number) value).shortValue();
      case INT32 -> int32(schema, (Integer) value);
      case INT64 ->
          Timestamp.LOGICAL_NAME.equals(schema.name())
              ? Timestamp.toLogical(schema, (Long) value)
              : value;
      case STRING -> value.toString();
      case BYTES -> bytes(schema, value);
      case ARRAY -> list(schema, (List<?>) value);
      case MAP -> map(schema, value);
      case STRUCT -> struct(schema, (IndexedRecord) value);
      default -> value;
    };
  }

  private static Object int32(Schema schema, Integer value) {
    if (Date.LOGICAL_NAME.equals(schema.name())) {
      return Date.toLogical(schema, value);
    }
    if (Time.LOGICAL_NAME.equals(schema.name()) && value >= 0 && value <= 86_400_000) {
      return Time.toLogical(schema, value);
    }
    return value;
  }

  private static Object bytes(Schema schema, Object value) {
    byte[] bytes;
    if (value instanceof GenericFixed fixed) {
      bytes = fixed.bytes();
    } else {
      ByteBuffer buffer = ((ByteBuffer) value).duplicate();
      bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
    }
    boolean decimal = Decimal.LOGICAL_NAME.equals(schema.name()) && bytes.length > 0;
    return decimal ? new BigDecimal(new BigInteger(bytes), ColumnTypes.scale(schema)) : bytes;
  }

  private static List<@Nullable Object> list(Schema schema, List<?> values) {
    List<@Nullable Object> list = new ArrayList<>(values.size());
    for (Object value : values) {
      list.add(toConnect(schema.valueSchema(), value));
    }
    return list;
  }

  private static Map<@Nullable Object, @Nullable Object> map(Schema schema, Object value) {
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> entries) {
      entries.forEach((k, v) -> map.put(k.toString(), toConnect(schema.valueSchema(), v)));
    } else {
      for (Object entry : (List<?>) value) {
        IndexedRecord pair = (IndexedRecord) entry;
        map.put(
            toConnect(schema.keySchema(), pair.get(0)),
            toConnect(schema.valueSchema(), pair.get(1)));
      }
    }
    return map;
  }

  private static Struct struct(Schema schema, IndexedRecord record) {
    Struct struct = new Struct(schema);
    for (Field field : schema.fields()) {
      struct.put(field, toConnect(field.schema(), record.get(field.index())));
    }
    return struct;
  }
}
