package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.decode.RegistryAvroConverter;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.registry.TestRegistry;
import io.onceberg.it.stack.SharedStack;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A registry that learns of a schema after its records have come, as a restored one does. */
class LateSchemaTest {
  private static final Schema FIRST =
      SchemaBuilder.struct().name("a.Row").field("id", Schema.INT64_SCHEMA).build();
  private static final Schema SECOND =
      SchemaBuilder.struct()
          .name("a.Row")
          .field("id", Schema.INT64_SCHEMA)
          .field("note", Schema.OPTIONAL_STRING_SCHEMA)
          .build();

  @Test
  void whatWasUnknownIsAskedForAgainByTheNextBatch(@TempDir Path directory) {
    String topic = SharedStack.uniqueName("late") + ".public.facts";
    Pipeline.createTopic(topic, 1);
    try (TestRegistry registry = TestRegistry.start();
        Pipeline pipeline = new Pipeline(directory, settings(topic, registry.url()))) {
      RegistryAvroConverter avro = new RegistryAvroConverter();
      avro.configure(Map.of("schema.registry.url", registry.url()), false);
      pipeline.sendRaw(topic, 0, null, row(avro, topic, FIRST, 1));
      assertThat(pipeline.landed().rows()).isEqualTo(1);
      byte[] early = row(avro, topic, FIRST, 2);
      early[4]++;
      pipeline.sendRaw(topic, 0, null, early);
      TargetReport unknown = pipeline.landed();
      assertThat(unknown.quarantined()).containsExactly(Map.entry(ErrorCode.UNKNOWN_SCHEMA_ID, 1L));
      byte[] second = row(avro, topic, SECOND, 3);
      assertThat(second[4]).isEqualTo(early[4]);
      pipeline.sendRaw(topic, 0, null, second);
      assertThat(pipeline.landed().rows()).isEqualTo(1);
    }
  }

  private static Map<String, String> settings(String topic, String url) {
    return Map.of(
        "topics", topic,
        "table.facts.kind", "events",
        "table.facts.key", "id",
        "value.converter", "io.confluent.connect.avro.AvroConverter",
        "value.converter.schema.registry.url", url);
  }

  private static byte[] row(RegistryAvroConverter avro, String topic, Schema schema, long id) {
    return avro.fromConnectData(topic, schema, new Struct(schema).put("id", id));
  }
}
