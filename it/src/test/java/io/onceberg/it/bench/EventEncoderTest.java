package io.onceberg.it.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.json.JsonConverter;
import org.junit.jupiter.api.Test;

class EventEncoderTest {
  private static final int EVENTS = 5_000;
  private static final long SEED = 42;

  @Test
  void jsonIsByteForByteWhatTheConverterWrites() {
    for (boolean schemas : new boolean[] {false, true}) {
      try (JsonConverter keys = converter(schemas, true);
          JsonConverter values = converter(schemas, false)) {
        EventEncoder encoder = new JsonEventEncoder(schemas);
        ChangeStream stream = new ChangeStream(SEED);
        for (int i = 0; i < EVENTS; i++) {
          ChangeEvent event = stream.next();
          Struct key = new Struct(OrderSchemas.KEY).put("id", event.id());
          assertThat(text(encoder.key(event)))
              .isEqualTo(text(keys.fromConnectData("t", OrderSchemas.KEY, key)));
          assertThat(text(encoder.value(event)))
              .isEqualTo(text(values.fromConnectData("t", OrderSchemas.ENVELOPE, struct(event))));
        }
      }
    }
  }

  @Test
  void avroHoldsTheSameEvents() throws Exception {
    Schema schema = AvroSchemas.of(OrderSchemas.ENVELOPE);
    GenericDatumReader<GenericRecord> reader = new GenericDatumReader<>(schema);
    EventEncoder encoder = new AvroEventEncoder(1, 7);
    ChangeStream stream = new ChangeStream(SEED);
    for (int i = 0; i < EVENTS; i++) {
      ChangeEvent event = stream.next();
      byte[] bytes = encoder.value(event);
      assertThat(ByteBuffer.wrap(bytes).get()).isZero();
      assertThat(ByteBuffer.wrap(bytes, 1, 4).getInt()).isEqualTo(7);
      BinaryDecoder in = DecoderFactory.get().binaryDecoder(bytes, 5, bytes.length - 5, null);
      GenericRecord read = reader.read(null, in);
      assertThat(in.isEnd()).isTrue();
      assertSame(struct(event), read);
    }
  }

  @Test
  void eventsHaveTheSizesTheyClaim() {
    assertThat(meanBytes(new JsonEventEncoder(false))).isBetween(880.0, 960.0);
    assertThat(meanBytes(new JsonEventEncoder(true))).isBetween(4_400.0, 4_800.0);
    assertThat(meanBytes(new AvroEventEncoder(1, 2))).isBetween(430.0, 500.0);
  }

  @Test
  void streamIsSeededAndInterleaved() {
    ChangeStream left = new ChangeStream(SEED);
    ChangeStream right = new ChangeStream(SEED);
    Map<Character, Integer> ops = new HashMap<>();
    Set<Long> lsns = new HashSet<>();
    int backwards = 0;
    long last = 0;
    for (int i = 0; i < EVENTS; i++) {
      ChangeEvent event = left.next();
      assertThat(right.next()).isEqualTo(event);
      ops.merge(event.op(), 1, Integer::sum);
      assertThat(lsns.add(event.lsn())).isTrue();
      backwards += event.lsn() < last ? 1 : 0;
      last = event.lsn();
    }
    assertThat(ops.getOrDefault('c', 0) * 100.0 / EVENTS).isBetween(27.0, 33.0);
    assertThat(ops.getOrDefault('d', 0) * 100.0 / EVENTS).isBetween(8.0, 12.0);
    assertThat(backwards).isGreaterThan(EVENTS / 100);
  }

  private static double meanBytes(EventEncoder encoder) {
    ChangeStream stream = new ChangeStream(SEED);
    long bytes = 0;
    for (int i = 0; i < EVENTS; i++) {
      bytes += encoder.value(stream.next()).length;
    }
    return (double) bytes / EVENTS;
  }

  private static JsonConverter converter(boolean schemas, boolean key) {
    JsonConverter converter = new JsonConverter();
    converter.configure(Map.of("schemas.enable", schemas), key);
    return converter;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  private static Struct struct(ChangeEvent event) {
    Struct source =
        new Struct(OrderSchemas.SOURCE)
            .put("version", "3.6.1.Final")
            .put("connector", "postgresql")
            .put("name", OrderSchemas.SERVER)
            .put("ts_ms", event.sourceMillis())
            .put("snapshot", "false")
            .put("db", OrderSchemas.DATABASE)
            .put("sequence", "[\"" + event.lastCommitLsn() + "\",\"" + event.lsn() + "\"]")
            .put("ts_us", event.commitMicros())
            .put("ts_ns", event.commitMicros() * 1000)
            .put("schema", "public")
            .put("table", "orders")
            .put("txId", event.txId())
            .put("lsn", event.lsn());
    Struct envelope =
        new Struct(OrderSchemas.ENVELOPE)
            .put("source", source)
            .put("op", String.valueOf(event.op()))
            .put("ts_ms", event.envelopeMicros() / 1000)
            .put("ts_us", event.envelopeMicros())
            .put("ts_ns", event.envelopeMicros() * 1000);
    return event.isDelete()
        ? envelope.put("before", new Struct(OrderSchemas.ROW).put("id", event.id()))
        : envelope.put("after", row(event));
  }

  private static Struct row(ChangeEvent event) {
    return new Struct(OrderSchemas.ROW)
        .put("id", event.id())
        .put("customer_id", event.customerId())
        .put("order_number", event.orderNumber())
        .put("status", event.status())
        .put("amount", BigDecimal.valueOf(event.amountCents(), OrderSchemas.SCALE))
        .put("quantity", event.quantity())
        .put("weight", event.weight())
        .put("gift", event.gift())
        .put("placed_on", event.placedOn())
        .put("created_at", event.createdAt())
        .put("updated_at", event.updatedAt())
        .put("note", event.note());
  }

  private static void assertSame(Struct expected, GenericRecord actual) {
    List<String> names = new ArrayList<>();
    expected.schema().fields().forEach(field -> names.add(field.name()));
    assertThat(actual.getSchema().getFields()).extracting(Schema.Field::name).isEqualTo(names);
    for (String name : names) {
      Object left = expected.get(name);
      Object right = actual.get(name);
      if (left instanceof Struct struct && right instanceof GenericRecord record) {
        assertSame(struct, record);
      } else if (left instanceof BigDecimal decimal && right instanceof ByteBuffer bytes) {
        byte[] unscaled = new byte[bytes.remaining()];
        bytes.duplicate().get(unscaled);
        assertThat(new BigInteger(unscaled)).isEqualTo(decimal.unscaledValue());
      } else {
        assertThat(String.valueOf(right)).as(name).isEqualTo(String.valueOf(left));
      }
    }
  }
}
