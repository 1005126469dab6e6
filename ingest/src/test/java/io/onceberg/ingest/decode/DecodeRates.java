package io.onceberg.ingest.decode;

import io.debezium.time.MicroTimestamp;
import io.debezium.time.ZonedTimestamp;
import io.onceberg.keystore.TargetLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;

/**
 * Prints how many events of 12 columns one thread decodes in a second of its CPU, by encoding. A
 * program to run by hand, not a test.
 */
final class DecodeRates {
  private static final ThreadMXBean THREAD = ManagementFactory.getThreadMXBean();
  private static final int EVENTS = 20_000;
  private static final int ROUNDS = 40;
  private static final Schema KEY =
      SchemaBuilder.struct()
          .name("shop.public.orders.Key")
          .field("id", Schema.INT64_SCHEMA)
          .build();
  private static final Schema ROW =
      Events.optional(
          "shop.public.orders.Value",
          b ->
              b.field("id", Schema.INT64_SCHEMA)
                  .field("customer_id", Schema.INT64_SCHEMA)
                  .field("status", Schema.OPTIONAL_STRING_SCHEMA)
                  .field(
                      "amount",
                      Decimal.builder(2)
                          .parameter("connect.decimal.precision", "12")
                          .optional()
                          .build())
                  .field("quantity", Schema.OPTIONAL_INT32_SCHEMA)
                  .field("discount", Schema.OPTIONAL_FLOAT64_SCHEMA)
                  .field("paid", Schema.OPTIONAL_BOOLEAN_SCHEMA)
                  .field("created_at", MicroTimestamp.builder().optional().build())
                  .field("updated_at", ZonedTimestamp.builder().optional().build())
                  .field("email", Schema.OPTIONAL_STRING_SCHEMA)
                  .field("address", Schema.OPTIONAL_STRING_SCHEMA)
                  .field("note", Schema.OPTIONAL_STRING_SCHEMA));

  private DecodeRates() {}

  private static Struct row(Random random, long id) {
    return new Struct(ROW)
        .put("id", id)
        .put("customer_id", random.nextLong(1_000_000))
        .put("status", "shipped")
        .put("amount", BigDecimal.valueOf(random.nextInt(1_000_000), 2))
        .put("quantity", random.nextInt(10))
        .put("discount", random.nextInt(100) / 100.0)
        .put("paid", random.nextBoolean())
        .put("created_at", 1_700_000_000_000_000L + random.nextInt(1_000_000_000))
        .put("updated_at", "2026-05-23T10:00:00.123456Z")
        .put("email", "customer" + random.nextInt(100_000) + "@example.org")
        .put("address", "Some Street " + random.nextInt(1000) + ", 12345 Town")
        .put("note", random.nextInt(4) == 0 ? null : "please leave it at the door");
  }

  private static Struct change(Random random, long id) {
    int kind = random.nextInt(10);
    if (kind < 3) {
      return Events.change("c", ROW, null, row(random, id));
    }
    return kind < 9
        ? Events.change("u", ROW, null, row(random, id))
        : Events.change("d", ROW, new Struct(ROW).put("id", id).put("customer_id", 0L), null);
  }

  public static void main(String[] arguments) {
    for (String encoding : List.of("json", "json+schema", "avro")) {
      Random random = new Random(7);
      boolean schemas = !encoding.equals("json");
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      long bytes = 0;
      var keys = encoding.equals("avro") ? null : Events.json(schemas, true);
      var values = encoding.equals("avro") ? null : Events.json(schemas, false);
      for (long id = 0; id < EVENTS; id++) {
        Struct key = new Struct(KEY).put("id", id);
        Struct change = change(random, id);
        var record =
            keys == null || values == null
                ? Paths.AVRO_STREAM.record(key, change)
                : Events.record(Events.bytes(keys, key), Events.bytes(values, change));
        records.add(record);
        bytes += record.value().length;
      }
      DecodeSettings settings = Events.settings(schemas);
      Decoded first = open(encoding, settings, TargetLayout.EMPTY).decode(records.get(0));
      Decoded.NewSchema found = (Decoded.NewSchema) first;
      TargetLayout layout = new TargetLayout(found.schema().columns(), found.schema().key());
      EventDecoder decoder = open(encoding, settings, layout);
      long best = 0;
      long check = 0;
      for (int round = 0; round < ROUNDS; round++) {
        long start = THREAD.getCurrentThreadCpuTime();
        for (ConsumerRecord<byte[], byte[]> record : records) {
          if (decoder.decode(record) instanceof Decoded.Change change) {
            check += change.columns().getSizeInBytes();
          }
        }
        best = Math.max(best, EVENTS * 1_000_000_000L / (THREAD.getCurrentThreadCpuTime() - start));
      }
      System.out.printf(
          "%-12s %,9d events/s  (%d bytes a value, %d in rows)%n",
          encoding, best, bytes / EVENTS, check / ROUNDS / EVENTS);
    }
  }

  private static EventDecoder open(String encoding, DecodeSettings settings, TargetLayout layout) {
    return encoding.equals("avro")
        ? Paths.AVRO_STREAM.open(settings, layout)
        : Decoders.open(settings, layout);
  }
}
