package io.onceberg.ingest.decode;

import io.onceberg.keystore.TargetLayout;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.storage.Converter;
import org.jspecify.annotations.Nullable;

/** Every way from bytes with a schema to rows; all of them must agree. */
enum Paths {
  JSON_STREAM,
  JSON_CONVERTER,
  AVRO_STREAM,
  AVRO_CONVERTER;

  private static final MemoryRegistry REGISTRY = new MemoryRegistry();

  boolean json() {
    return this == JSON_STREAM || this == JSON_CONVERTER;
  }

  private Converter converter(boolean key) {
    return json() ? Events.json(true, key) : new RegistryAvroConverter(REGISTRY, key);
  }

  ConsumerRecord<byte[], byte[]> record(@Nullable Struct key, Struct value) {
    byte[] keyBytes = key == null ? null : bytes(key.schema(), key, true);
    return Events.record(keyBytes, bytes(value.schema(), value, false));
  }

  byte[] bytes(Schema schema, Object value, boolean key) {
    return converter(key).fromConnectData(Events.TOPIC, schema, value);
  }

  EventDecoder open(DecodeSettings settings, TargetLayout layout) {
    return switch (this) {
      case JSON_STREAM ->
          new RecordDecoder(
              settings,
              layout,
              new JsonKeys(settings, layout, Events.json(true, true)),
              new JsonValues(settings, layout, Events.json(true, false)));
      case AVRO_STREAM ->
          new RecordDecoder(
              settings,
              layout,
              new AvroKeys(settings, layout, REGISTRY),
              new AvroValues(settings, layout, REGISTRY));
      case JSON_CONVERTER, AVRO_CONVERTER ->
          new RecordDecoder(
              settings,
              layout,
              new ConnectKeys(settings, layout, converter(true)),
              new ConnectValues(settings, layout, converter(false)));
    };
  }

  /** Decodes one record by a new decoder. */
  Decoded decode(
      DecodeSettings settings, TargetLayout layout, ConsumerRecord<byte[], byte[]> record) {
    return open(settings, layout).decode(record);
  }

  /** The layout that a first record asks for. */
  TargetLayout layout(DecodeSettings settings, ConsumerRecord<byte[], byte[]> record) {
    Decoded decoded = decode(settings, TargetLayout.EMPTY, record);
    if (decoded instanceof Decoded.NewSchema found) {
      return new TargetLayout(found.schema().columns(), found.schema().key());
    }
    throw new AssertionError("no new schema but " + decoded);
  }
}
