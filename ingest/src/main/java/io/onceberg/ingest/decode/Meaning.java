package io.onceberg.ingest.decode;

import java.util.Map;
import org.apache.kafka.connect.data.Schema;

/** What the values of a Connect schema mean. */
enum Meaning {
  BOOLEAN,
  INTEGER,
  FLOAT,
  DOUBLE,
  TEXT,
  BYTES,
  UUID,
  DECIMAL,
  VARIABLE_DECIMAL,
  DATE,
  ISO_DATE,
  TIMESTAMP_MILLIS,
  TIMESTAMP_MICROS,
  TIMESTAMP_NANOS,
  ISO_TIMESTAMP,
  ZONED_TIMESTAMP,
  TIME_MILLIS,
  TIME_MICROS,
  TIME_NANOS,
  ISO_TIME,
  LIST,
  MAP,
  STRUCT;

  /** A name means what it says only on the type that Debezium and Kafka Connect give it. */
  private record Named(Schema.Type type, Meaning meaning) {}

  private static final Map<String, Named> BY_NAME =
      Map.ofEntries(
          Map.entry("io.debezium.data.Uuid", new Named(Schema.Type.STRING, UUID)),
          Map.entry(
              "io.debezium.data.VariableScaleDecimal",
              new Named(Schema.Type.STRUCT, VARIABLE_DECIMAL)),
          Map.entry("io.debezium.time.Date", new Named(Schema.Type.INT32, DATE)),
          Map.entry("io.debezium.time.IsoDate", new Named(Schema.Type.STRING, ISO_DATE)),
          Map.entry("io.debezium.time.Timestamp", new Named(Schema.Type.INT64, TIMESTAMP_MILLIS)),
          Map.entry(
              "io.debezium.time.MicroTimestamp", new Named(Schema.Type.INT64, TIMESTAMP_MICROS)),
          Map.entry(
              "io.debezium.time.NanoTimestamp", new Named(Schema.Type.INT64, TIMESTAMP_NANOS)),
          Map.entry("io.debezium.time.IsoTimestamp", new Named(Schema.Type.STRING, ISO_TIMESTAMP)),
          Map.entry(
              "io.debezium.time.ZonedTimestamp", new Named(Schema.Type.STRING, ZONED_TIMESTAMP)),
          Map.entry("io.debezium.time.Time", new Named(Schema.Type.INT32, TIME_MILLIS)),
          Map.entry("io.debezium.time.MicroTime", new Named(Schema.Type.INT64, TIME_MICROS)),
          Map.entry("io.debezium.time.NanoTime", new Named(Schema.Type.INT64, TIME_NANOS)),
          Map.entry("io.debezium.time.IsoTime", new Named(Schema.Type.STRING, ISO_TIME)),
          Map.entry("org.apache.kafka.connect.data.Decimal", new Named(Schema.Type.BYTES, DECIMAL)),
          Map.entry("org.apache.kafka.connect.data.Date", new Named(Schema.Type.INT32, DATE)),
          Map.entry(
              "org.apache.kafka.connect.data.Timestamp",
              new Named(Schema.Type.INT64, TIMESTAMP_MILLIS)),
          Map.entry(
              "org.apache.kafka.connect.data.Time", new Named(Schema.Type.INT32, TIME_MILLIS)));

  static Meaning of(Schema schema) {
    Named named = schema.name() == null ? null : BY_NAME.get(schema.name());
    return named != null && named.type == schema.type() ? named.meaning : plain(schema.type());
  }

  private static Meaning plain(Schema.Type type) {
    return switch (type) {
      case BOOLEAN -> BOOLEAN;
      case INT8, INT16, INT32, INT64 -> INTEGER;
      case FLOAT32 -> FLOAT;
      case FLOAT64 -> DOUBLE;
      case STRING -> TEXT;
      case BYTES -> BYTES;
      case ARRAY -> LIST;
      case MAP -> MAP;
      case STRUCT -> STRUCT;
    };
  }
}
