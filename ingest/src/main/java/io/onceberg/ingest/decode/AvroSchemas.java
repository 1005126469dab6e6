package io.onceberg.ingest.decode;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.LogicalTypes;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/**
 * From Avro schemas to Connect schemas, by the properties that Confluent's converter writes: {@code
 * connect.name}, {@code connect.type}, {@code connect.version}, {@code connect.parameters}. Avro's
 * own logical types are understood where there is no {@code connect.name}.
 */
final class AvroSchemas {
  static final String NAME = "connect.name";
  static final String VERSION = "connect.version";
  static final String PARAMETERS = "connect.parameters";
  static final String TYPE = "connect.type";
  static final String INTERNAL_TYPE = "connect.internal.type";
  static final String MAP_ENTRY = "MapEntry";
  static final String NAMESPACE = "io.confluent.connect.avro";
  static final String DEFAULT_RECORD = "ConnectDefault";

  /** Records that are being mapped, to notice one that contains itself. */
  private final IdentityHashMap<org.apache.avro.Schema, Boolean> open = new IdentityHashMap<>();

  private AvroSchemas() {}

  /**
   * The Connect schema of an Avro schema.
   *
   * @throws DataException when it has none: a union of more than null and one type, a recursion
   */
  static Schema toConnect(org.apache.avro.Schema avro) {
    return new AvroSchemas().connect(avro, false);
  }

  /** The branch of a union that is not null; any other schema itself. */
  static org.apache.avro.Schema present(org.apache.avro.Schema avro) {
    if (!avro.isUnion()) {
      return avro;
    }
    List<org.apache.avro.Schema> branches = new ArrayList<>(avro.getTypes());
    branches.removeIf(branch -> branch.getType() == org.apache.avro.Schema.Type.NULL);
    if (branches.size() != 1) {
      throw new DataException("a union of several types has no column type: " + avro);
    }
    return branches.get(0);
  }

  static boolean isMapEntries(org.apache.avro.Schema array) {
    return array.getType() == org.apache.avro.Schema.Type.ARRAY
        && MAP_ENTRY.equals(array.getElementType().getProp(INTERNAL_TYPE));
  }

  private Schema connect(org.apache.avro.Schema avro, boolean optional) {
    if (avro.isUnion()) {
      boolean nullable =
          avro.getTypes().stream().anyMatch(b -> b.getType() == org.apache.avro.Schema.Type.NULL);
      return connect(present(avro), optional || nullable);
    }
    if (open.put(avro, true) != null) {
      throw new DataException("a recursive schema has no column type: " + avro.getFullName());
    }
    SchemaBuilder builder = builder(avro);
    open.remove(avro);
    properties(avro, builder);
    return optional ? builder.optional().build() : builder.build();
  }

  private SchemaBuilder builder(org.apache.avro.Schema avro) {
    return switch (avro.getType()) {
      case BOOLEAN -> SchemaBuilder.bool();
      case INT -> integer(avro);
      case LONG -> whole(avro);
      case FLOAT -> SchemaBuilder.float32();
      case DOUBLE -> SchemaBuilder.float64();
      case STRING -> text(avro);
      case ENUM -> SchemaBuilder.string();
      case BYTES, FIXED -> bytes(avro);
      case ARRAY -> array(avro);
      case MAP -> SchemaBuilder.map(Schema.STRING_SCHEMA, connect(avro.getValueType(), false));
      case RECORD -> record(avro);
      case NULL, UNION -> throw new DataException("no column type for " + avro);
    };
  }

  private static SchemaBuilder integer(org.apache.avro.Schema avro) {
    String type = avro.getProp(TYPE);
    if ("int8".equals(type)) {
      return SchemaBuilder.int8();
    }
    if ("int16".equals(type)) {
      return SchemaBuilder.int16();
    }
    return switch (logicalType(avro)) {
      case "date" -> Date.builder();
      case "time-millis" -> Time.builder();
      default -> SchemaBuilder.int32();
    };
  }

  private static SchemaBuilder whole(org.apache.avro.Schema avro) {
    SchemaBuilder plain = SchemaBuilder.int64();
    return switch (logicalType(avro)) {
      case "timestamp-millis" -> Timestamp.builder();
      case "timestamp-micros" -> plain.name("io.debezium.time.MicroTimestamp");
      case "timestamp-nanos" -> plain.name("io.debezium.time.NanoTimestamp");
      case "time-micros" -> plain.name("io.debezium.time.MicroTime");
      default -> plain;
    };
  }

  private static SchemaBuilder text(org.apache.avro.Schema avro) {
    SchemaBuilder plain = SchemaBuilder.string();
    return logicalType(avro).equals("uuid") ? plain.name("io.debezium.data.Uuid") : plain;
  }

  private static SchemaBuilder bytes(org.apache.avro.Schema avro) {
    if (avro.getLogicalType() instanceof LogicalTypes.Decimal decimal) {
      SchemaBuilder builder = Decimal.builder(decimal.getScale());
      return builder.parameter("connect.decimal.precision", "" + decimal.getPrecision());
    }
    return SchemaBuilder.bytes();
  }

  /** Debezium's own names win over Avro's logical types, which say less. */
  private static String logicalType(org.apache.avro.Schema avro) {
    String logical = avro.getProp("logicalType");
    String name = avro.getProp(NAME);
    boolean named = name != null && !name.startsWith("org.apache.kafka.connect.data.");
    return logical == null || named ? "" : logical;
  }

  private SchemaBuilder array(org.apache.avro.Schema avro) {
    if (isMapEntries(avro)) {
      org.apache.avro.Schema entry = avro.getElementType();
      return SchemaBuilder.map(
          connect(entry.getField("key").schema(), false),
          connect(entry.getField("value").schema(), false));
    }
    return SchemaBuilder.array(connect(avro.getElementType(), false));
  }

  private SchemaBuilder record(org.apache.avro.Schema avro) {
    SchemaBuilder builder = SchemaBuilder.struct();
    for (org.apache.avro.Schema.Field field : avro.getFields()) {
      builder.field(field.name(), connect(field.schema(), false));
    }
    return builder;
  }

  private static void properties(org.apache.avro.Schema avro, SchemaBuilder builder) {
    String name = name(avro);
    if (name != null && builder.name() == null) {
      builder.name(name);
    }
    Object version = avro.getObjectProp(VERSION);
    if (version instanceof Number number && builder.version() == null) {
      builder.version(number.intValue());
    }
    if (avro.getObjectProp(PARAMETERS) instanceof Map<?, ?> parameters) {
      parameters.forEach((k, v) -> parameter(builder, k.toString(), v));
    }
  }

  private static @Nullable String name(org.apache.avro.Schema avro) {
    String name = avro.getProp(NAME);
    boolean record = avro.getType() == org.apache.avro.Schema.Type.RECORD;
    return name == null && record && !avro.getName().equals(DEFAULT_RECORD)
        ? avro.getFullName()
        : name;
  }

  private static void parameter(SchemaBuilder builder, String name, @Nullable Object value) {
    boolean known = builder.parameters() != null && builder.parameters().containsKey(name);
    if (!known && value != null) {
      builder.parameter(name, value.toString());
    }
  }
}
