package io.onceberg.it.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.decode.DecodeSettings;
import io.onceberg.ingest.decode.Decoded;
import io.onceberg.ingest.decode.Decoders;
import io.onceberg.ingest.decode.EventDecoder;
import io.onceberg.ingest.decode.RegistryAvroConverter;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetLayout;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.types.Types;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.Test;

/** Decoding Avro against a registry that answers, does not know, refuses, or is down (case C8). */
class SchemaRegistryTest {
  private static final Schema ROW =
      SchemaBuilder.struct().name("a.Row").field("id", Schema.INT64_SCHEMA).build();
  private static final TargetLayout LAYOUT =
      new TargetLayout(
          Types.StructType.of(Types.NestedField.optional(1, "id", Types.LongType.get())), null);

  private static DecodeSettings settings(String url, Map<String, String> more) {
    Map<String, String> converter = new HashMap<>(more);
    converter.put("converter", "io.confluent.connect.avro.AvroConverter");
    converter.put("schema.registry.url", url);
    return new DecodeSettings(
        TargetKind.EVENTS,
        NewColumns.APPEND,
        DecodeSettings.Incompatible.QUARANTINE,
        true,
        "__debezium_unavailable_value",
        converter,
        converter);
  }

  private static byte[] avro(String url, Map<String, String> more) {
    RegistryAvroConverter converter = new RegistryAvroConverter();
    Map<String, String> own = new HashMap<>(more);
    own.put("schema.registry.url", url);
    converter.configure(own, false);
    return converter.fromConnectData("t", ROW, new Struct(ROW).put("id", 7L));
  }

  @SuppressWarnings("NullAway") // the records have no key
  private static Decoded decode(DecodeSettings settings, byte[] value) {
    try (EventDecoder decoder = Decoders.open(settings, LAYOUT)) {
      return decoder.decode(new ConsumerRecord<>("t", 0, 0, null, value));
    }
  }

  private static long id(Decoded decoded) {
    assertThat(decoded).isInstanceOf(Decoded.Change.class);
    return ((Decoded.Change) decoded).columns().getLong(0);
  }

  @Test
  void asksForEachSchemaOnce() {
    try (TestRegistry registry = TestRegistry.start()) {
      byte[] value = avro(registry.url(), Map.of());
      DecodeSettings settings = settings(registry.url(), Map.of("other", "setting"));
      assertThat(id(decode(settings, value))).isEqualTo(7L);
      int asked = registry.requests();
      assertThat(id(decode(settings, value))).isEqualTo(7L);
      assertThat(registry.requests()).isEqualTo(asked);
    }
  }

  @Fault(
      area = Area.INPUT,
      what = "a schema id that the registry does not know",
      outcome = "OB-302: quarantined")
  @Test
  void refusesARecordWhoseSchemaTheRegistryDoesNotKnow() {
    try (TestRegistry registry = TestRegistry.start()) {
      byte[] value = avro(registry.url(), Map.of());
      value[4] = 99;
      Decoded decoded = decode(settings(registry.url(), Map.of()), value);
      assertThat(decoded).isInstanceOf(Decoded.Refused.class);
      assertThat(((Decoded.Refused) decoded).code()).isEqualTo(ErrorCode.UNKNOWN_SCHEMA_ID);
    }
  }

  @Fault(
      area = Area.OUT_OF_REACH,
      what = "the schema registry is down while a schema is asked for",
      outcome = "OB-310; waited for, and gone on")
  @Test
  void waitsForARegistryThatIsDownAndGoesOnByItself() {
    int port;
    try (TestRegistry writing = TestRegistry.start()) {
      port = writing.port();
      byte[] value = avro(writing.url(), Map.of());
      // other settings make another client, which knows no schema yet
      DecodeSettings settings = settings(writing.url() + "/", Map.of("bearer.auth.token", "t"));
      writing.fail(true);
      unreachable(settings, value);
      writing.fail(false);
      assertThat(id(decode(settings, value))).isEqualTo(7L);
    }
    byte[] value = {0, 0, 0, 0, 2, 14};
    unreachable(settings("http://127.0.0.1:" + port, Map.of()), value);
  }

  private static void unreachable(DecodeSettings settings, byte[] value) {
    assertThatThrownBy(() -> decode(settings, value))
        .isInstanceOfSatisfying(
            OncebergException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.REGISTRY_UNREACHABLE));
  }

  @Test
  void refusesAnAddressThatIsNone() {
    byte[] value = {0, 0, 0, 0, 2, 14};
    for (String url : List.of("localhost:8081", "http://a b:8081", "ftp://localhost", "registry")) {
      assertThatThrownBy(() -> decode(settings(url, Map.of()), value))
          .isInstanceOfSatisfying(
              OncebergException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SETTING));
    }
  }

  @Fault(
      area = Area.OUT_OF_REACH,
      what = "the schema registry refuses the credentials",
      outcome = "OB-311, the daemon stops")
  @Test
  void givesCredentialsAndSaysWhenTheyAreRefused() {
    try (TestRegistry registry = TestRegistry.start(0, "me:secret")) {
      Map<String, String> credentials = Map.of("basic.auth.user.info", "me:secret");
      byte[] value = avro(registry.url(), credentials);
      assertThat(id(decode(settings(registry.url(), credentials), value))).isEqualTo(7L);
      DecodeSettings wrong = settings(registry.url(), Map.of("basic.auth.user.info", "me:no"));
      assertThatThrownBy(() -> decode(wrong, value))
          .isInstanceOfSatisfying(
              OncebergException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.REGISTRY_REFUSED));
    }
  }
}
