package io.onceberg.ingest.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.keystore.TargetLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The streams against the converters, on records that were damaged at random: what both read they
 * must read as the same change. Either may refuse what the other takes, but only where no value of
 * a row is at stake: Kafka's JSON converter takes a text for a number, as 0, which the stream
 * refuses; the stream does not look at parts that it does not need, such as the source's version.
 */
class AgreementTest {
  private static final int RECORDS = 5_000;
  private static final Schema KEY =
      SchemaBuilder.struct()
          .name("Key")
          .field("id", Schema.INT64_SCHEMA)
          .field("part", Schema.OPTIONAL_STRING_SCHEMA)
          .build();

  private static String describe(Decoded decoded, TargetLayout layout) {
    if (decoded instanceof Decoded.Change change) {
      EventOrigin o = change.origin();
      return "%s %s %s %s %s %s %s %s %s %s %s"
          .formatted(
              o.op(),
              o.source(),
              o.lsn(),
              o.txId(),
              o.ordinal(),
              o.keyText(),
              o.tsMicros(),
              o.sourceTsMicros(),
              Rows.values(change.columns(), layout.columns()),
              change.before() == null ? null : Rows.values(change.before(), layout.columns()),
              change.unavailable());
    }
    return decoded instanceof Decoded.Refused refused ? "refused " + refused.code() : "" + decoded;
  }

  private static Struct row(Schema schema, List<Zoo.Animal> zoo, Random random) {
    Struct row = new Struct(schema);
    for (Zoo.Animal animal : zoo) {
      row.put(animal.name(), random.nextInt(5) == 0 ? null : animal.value());
    }
    return row;
  }

  private static byte[] damage(byte[] bytes, Random random) {
    byte[] damaged = bytes.clone();
    int wounds = random.nextInt(3);
    for (int i = 0; i < wounds; i++) {
      int at = random.nextInt(damaged.length);
      switch (random.nextInt(4)) {
        case 0 -> damaged[at] = (byte) random.nextInt(256);
        case 1 -> damaged[at] = (byte) "0123456789\"{}[],:.-ntfe\\".charAt(random.nextInt(24));
        case 2 -> damaged = Arrays.copyOf(damaged, Math.max(1, at));
        default -> damaged[at] = damaged[random.nextInt(damaged.length)];
      }
    }
    return damaged;
  }

  @ParameterizedTest
  @CsvSource({
    "JSON_STREAM,JSON_CONVERTER,11", "AVRO_STREAM,AVRO_CONVERTER,12",
    "JSON_STREAM,JSON_CONVERTER,13", "AVRO_STREAM,AVRO_CONVERTER,14"
  })
  void damagedRecordsReadTheSame(Paths fast, Paths slow, long seed) {
    Random random = new Random(seed);
    List<Zoo.Animal> all = Zoo.all();
    List<Zoo.Animal> zoo = new ArrayList<>();
    for (Zoo.Animal animal : all) {
      if (zoo.size() < 16 && random.nextInt(4) == 0) {
        zoo.add(animal);
      }
    }
    Schema row = Events.optional("Value", b -> zoo.forEach(a -> b.field(a.name(), a.schema())));
    DecodeSettings settings = Events.settings(true);
    Struct key = new Struct(KEY).put("id", 9L).put("part", "é\"");
    String[] ops = {"c", "u", "d", "r", "t"};
    List<ConsumerRecord<byte[], byte[]>> sound = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String op = ops[i % ops.length];
      Struct after = "dt".contains(op) ? null : row(row, zoo, random);
      Struct before = "ud".contains(op) ? row(row, zoo, random) : null;
      sound.add(
          fast.record(random.nextBoolean() ? key : null, Events.change(op, row, before, after)));
    }
    TargetLayout layout =
        new TargetLayout(
            fast.layout(settings, sound.get(0)).columns(), ColumnTypes.columns(KEY.fields()));
    EventDecoder fastDecoder = fast.open(settings, layout);
    EventDecoder slowDecoder = slow.open(settings, layout);
    int changes = 0;
    int unlike = 0;
    for (int i = 0; i < RECORDS; i++) {
      ConsumerRecord<byte[], byte[]> whole = sound.get(random.nextInt(sound.size()));
      boolean hurtKey = whole.key() != null && random.nextInt(4) == 0;
      ConsumerRecord<byte[], byte[]> hurt =
          Events.record(
              hurtKey ? damage(whole.key(), random) : whole.key(),
              hurtKey ? whole.value() : damage(whole.value(), random));
      String seen = describe(fastDecoder.decode(hurt), layout);
      String expected = describe(slowDecoder.decode(hurt), layout);
      changes += seen.startsWith("refused") ? 0 : 1;
      boolean stricter = fast.json() && seen.startsWith("refused");
      boolean unread = fast.json() && expected.equals("refused UNDECODABLE");
      unlike += unread && !stricter ? 1 : 0;
      if (!stricter && !unread) {
        assertThat(seen)
            .as("seed %d record %d: %s", seed, i, new String(hurt.value(), StandardCharsets.UTF_8))
            .isEqualTo(expected);
      }
    }
    assertThat(unlike).isLessThan(RECORDS / 20);
    assertThat(changes).isBetween(RECORDS / 10, RECORDS - 1);
  }
}
