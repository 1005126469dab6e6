package io.onceberg.it.fuzz;

import io.debezium.data.Uuid;
import io.debezium.data.VariableScaleDecimal;
import io.debezium.data.geometry.Point;
import io.debezium.time.MicroTime;
import io.debezium.time.MicroTimestamp;
import io.debezium.time.Timestamp;
import io.debezium.time.ZonedTimestamp;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.jspecify.annotations.Nullable;

/** A source table whose columns change while its events are read. */
final class RandomTable {
  /** A column type and how its values are made. */
  private record Kind(Schema schema, Function<Random, Object> value) {}

  private static final Schema POINT = Point.builder().optional().build();
  private static final Schema VARIABLE = VariableScaleDecimal.builder().optional().build();

  private static final List<Kind> KINDS =
      List.of(
          new Kind(Schema.OPTIONAL_INT32_SCHEMA, Random::nextInt),
          new Kind(Schema.OPTIONAL_INT64_SCHEMA, Random::nextLong),
          new Kind(Schema.OPTIONAL_INT16_SCHEMA, r -> (short) r.nextInt()),
          new Kind(Schema.OPTIONAL_BOOLEAN_SCHEMA, Random::nextBoolean),
          new Kind(Schema.OPTIONAL_FLOAT32_SCHEMA, Random::nextFloat),
          new Kind(Schema.OPTIONAL_FLOAT64_SCHEMA, Random::nextGaussian),
          new Kind(Schema.OPTIONAL_STRING_SCHEMA, RandomTable::text),
          new Kind(Schema.OPTIONAL_STRING_SCHEMA, r -> String.valueOf(r.nextInt(1_000))),
          new Kind(Schema.OPTIONAL_BYTES_SCHEMA, r -> bytes(r)),
          new Kind(decimal(2, 10), r -> BigDecimal.valueOf(r.nextInt(), 2)),
          new Kind(decimal(9, 38), r -> new BigDecimal(new BigInteger(120, r), 9)),
          new Kind(decimal(40, 50), r -> new BigDecimal(new BigInteger(90, r), 40)),
          new Kind(
              VARIABLE,
              r ->
                  new Struct(VARIABLE)
                      .put("scale", r.nextInt(20))
                      .put("value", BigInteger.valueOf(r.nextInt()).toByteArray())),
          new Kind(
              io.debezium.time.Date.builder().optional().build(), r -> r.nextInt(60_000) - 20_000),
          new Kind(Timestamp.builder().optional().build(), r -> (long) r.nextInt() * 1_000),
          new Kind(
              MicroTimestamp.builder().optional().build(), r -> (long) r.nextInt() * 1_000_000),
          new Kind(
              MicroTime.builder().optional().build(), r -> (long) r.nextInt(86_400) * 1_000_000),
          new Kind(
              ZonedTimestamp.builder().optional().build(),
              r ->
                  "2026-05-%02dT10:00:00.%06dZ".formatted(1 + r.nextInt(31), r.nextInt(1_000_000))),
          new Kind(
              Uuid.builder().optional().build(),
              r -> new java.util.UUID(r.nextLong(), r.nextLong()).toString()),
          new Kind(
              SchemaBuilder.array(Schema.OPTIONAL_INT32_SCHEMA).optional().build(),
              r -> Arrays.asList(r.nextInt(), null, r.nextInt(5))),
          new Kind(
              SchemaBuilder.array(Schema.OPTIONAL_STRING_SCHEMA).optional().build(),
              r -> List.of(text(r))),
          new Kind(
              SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.OPTIONAL_STRING_SCHEMA)
                  .optional()
                  .build(),
              r -> new HashMap<>(Map.of("a", text(r), "b", "1"))),
          new Kind(POINT, r -> Point.createValue(POINT, r.nextGaussian(), r.nextGaussian())));

  private final Random random;
  private final List<String> names;
  private final Map<String, Kind> columns = new java.util.LinkedHashMap<>();
  private Schema row = Schema.OPTIONAL_STRING_SCHEMA;

  /** A table with the key {@code id}; its columns get the given names, too, in time. */
  RandomTable(Random random, List<String> names) {
    this.random = random;
    this.names = names;
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      columns.put("c" + random.nextInt(20), kind());
    }
    rebuild();
  }

  private Kind kind() {
    return KINDS.get(random.nextInt(KINDS.size()));
  }

  private static Schema decimal(int scale, int precision) {
    return Decimal.builder(scale)
        .parameter("connect.decimal.precision", "" + precision)
        .optional()
        .build();
  }

  private static String text(Random random) {
    String[] parts = {"a", "é", "\"", "\\", "日", "\ud83d\ude00", "\n", " "};
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(parts[random.nextInt(parts.length)]);
    }
    return text.toString();
  }

  private static byte[] bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(9)];
    random.nextBytes(bytes);
    return bytes;
  }

  private void rebuild() {
    SchemaBuilder builder =
        SchemaBuilder.struct().name("s.p.t.Value").optional().field("id", Schema.INT64_SCHEMA);
    columns.forEach((name, kind) -> builder.field(name, kind.schema()));
    row = builder.build();
  }

  /** Adds, drops or retypes a column. */
  void change() {
    List<String> known = new ArrayList<>(columns.keySet());
    String any = known.isEmpty() ? "c0" : known.get(random.nextInt(known.size()));
    switch (random.nextInt(4)) {
      case 0 -> columns.remove(any);
      case 1 -> columns.put(any, kind());
      case 2 -> columns.put("c" + random.nextInt(20), kind());
      default -> columns.put(names.get(random.nextInt(names.size())), kind());
    }
    columns.remove("id");
    rebuild();
  }

  /** The schema of both states, as it is now. */
  Schema row() {
    return row;
  }

  Struct row(long id) {
    Struct struct = new Struct(row).put("id", id);
    for (Field field : row.fields().subList(1, row.fields().size())) {
      Kind kind = columns.get(field.name());
      if (kind != null && random.nextInt(6) > 0) {
        struct.put(field, kind.value().apply(random));
      }
    }
    return struct;
  }

  /** A leaf of any type. */
  @Nullable Object leaf(SchemaBuilder into, String name) {
    Kind kind = kind();
    into.field(name, kind.schema());
    return kind.value().apply(random);
  }
}
