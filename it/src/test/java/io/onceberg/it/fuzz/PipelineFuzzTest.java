package io.onceberg.it.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.Reaction;
import io.onceberg.ingest.decode.DecodeSettings;
import io.onceberg.ingest.decode.Decoded;
import io.onceberg.ingest.decode.Decoders;
import io.onceberg.ingest.decode.EventDecoder;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.engine.Pipeline;
import io.onceberg.it.registry.TestRegistry;
import io.onceberg.it.stack.SharedStack;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetLayout;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Random records from Kafka into tables: each batch lands, every record that was read is a row, a
 * quarantined or a counted one, and the same records again add no row. {@code onceberg.seed} plays
 * other records than those of seed 1, {@code onceberg.fuzz.records} more of them.
 */
class PipelineFuzzTest {
  private static final Logger LOG = LoggerFactory.getLogger(PipelineFuzzTest.class);
  private static final long SEED = Long.getLong("onceberg.seed", 1);
  private static final int RECORDS = Integer.getInteger("onceberg.fuzz.records", 1_000);
  private static final int TABLES = 2;

  private static TestRegistry registry;

  @TempDir Path warehouse;

  @BeforeAll
  static void startRegistry() {
    registry = TestRegistry.start();
  }

  @AfterAll
  static void stopRegistry() {
    registry.close();
  }

  @ParameterizedTest
  @CsvSource({"JSON,changelog", "JSON_WITH_SCHEMA,changelog", "AVRO,events"})
  void everyRecordIsARowOrQuarantinedOrCounted(Encoding encoding, String kind) {
    LOG.info("-Donceberg.seed={} for {} {}", SEED, encoding, kind);
    String topic = SharedStack.uniqueName("fuzz") + ".p.t";
    Pipeline.createTopic(topic, 1);
    try (Pipeline pipeline = new Pipeline(warehouse, settings(topic, encoding, kind))) {
      List<RandomRecords.Bytes> records = records(encoding, kind);
      int half = records.size() / 2;
      send(pipeline, topic, records.subList(0, half));
      Sums first = landed(pipeline, half);
      send(pipeline, topic, records.subList(half, records.size()));
      Sums second = landed(pipeline, records.size() - half);
      long rows = first.rows + second.rows;
      assertThat(rows).as("seed %d", SEED).isPositive();
      assertThat(pipeline.count("t")).as("seed %d", SEED).isEqualTo(rows);
      assertThat(pipeline.count("t_keys")).as("seed %d", SEED).isEqualTo(rows);
      assertThat(pipeline.count("t_quarantine"))
          .as("seed %d", SEED)
          .isEqualTo(first.quarantined + second.quarantined);
      pipeline.restart();
      send(pipeline, topic, records);
      Sums again = landed(pipeline, records.size());
      assertThat(again.rows).as("seed %d: a replay added rows", SEED).isZero();
      assertThat(pipeline.count("t")).as("seed %d", SEED).isEqualTo(rows);
    }
  }

  private static Map<String, String> settings(String topic, Encoding encoding, String kind) {
    Map<String, String> settings = new HashMap<>();
    settings.put("topics", topic);
    settings.put("route." + topic, "t");
    settings.put("table.t.kind", kind);
    if (kind.equals("events")) {
      settings.put("table.t.key", "id");
    } else {
      settings.put("table.t.twins", "collapse");
    }
    encoding
        .settings(registry.url())
        .forEach(
            (name, value) -> {
              String suffix = name.equals("converter") ? "" : "." + name;
              settings.put("key.converter" + suffix, value);
              settings.put("value.converter" + suffix, value);
            });
    if (encoding == Encoding.AVRO) {
      settings.remove("key.converter.schemas.enable");
    }
    return settings;
  }

  /** Several tables' records in turn, as a topic holds them whose table was made anew. */
  private static List<RandomRecords.Bytes> records(Encoding encoding, String kind) {
    List<RandomRecords.Bytes> records = new ArrayList<>();
    Map<String, String> converter = encoding.settings(registry.url());
    DecodeSettings settings =
        new DecodeSettings(
            TargetKind.valueOf(kind.toUpperCase(Locale.ROOT)),
            NewColumns.APPEND,
            DecodeSettings.Incompatible.QUARANTINE,
            true,
            "__debezium_unavailable_value",
            converter,
            converter);
    try (EventDecoder decoder = Decoders.open(settings, TargetLayout.EMPTY)) {
      for (int table = 0; table < TABLES; table++) {
        RandomRecords stream =
            new RandomRecords(new Random(SEED + table), encoding, registry.url());
        while (records.size() < RECORDS / TABLES * (table + 1)) {
          RandomRecords.Bytes record = stream.next();
          if (!stops(decoder, record)) {
            records.add(record);
          }
        }
      }
    }
    return records;
  }

  /** Records without envelope and those of another connector stop a changelog: OB-407, OB-408. */
  @SuppressWarnings("NullAway") // Kafka's records have null keys and values
  private static boolean stops(EventDecoder decoder, RandomRecords.Bytes record) {
    return decoder.decode(new ConsumerRecord<>("s.p.t", 0, 0, null, record.value()))
            instanceof Decoded.Refused refused
        && refused.code().reaction() == Reaction.STOP_TARGET;
  }

  private static void send(Pipeline pipeline, String topic, List<RandomRecords.Bytes> records) {
    for (RandomRecords.Bytes record : records) {
      pipeline.sendRaw(topic, 0, record.key(), record.value());
    }
  }

  /** What a batch did, added up. */
  private record Sums(long rows, long quarantined) {}

  private static Sums landed(Pipeline pipeline, long records) {
    TargetReport report;
    try {
      report = pipeline.landed();
    } catch (AssertionError e) {
      throw new AssertionError("-Donceberg.seed=" + SEED, e);
    }
    LOG.info("{}", report);
    long quarantined = report.quarantined().values().stream().mapToLong(c -> c).sum();
    long control = report.control().values().stream().mapToLong(c -> c).sum();
    assertThat(report.read()).as("seed %d", SEED).isEqualTo(records);
    assertThat(
            report.rows()
                + report.inBatch()
                + report.connectorReplay()
                + report.snapshotOverlap()
                + report.conflictsDropped()
                + quarantined
                + report.quarantinedBefore()
                + report.tombstones()
                + control)
        .as("seed %d: %s", SEED, report)
        .isEqualTo(records);
    return new Sums(report.rows(), quarantined);
  }
}
