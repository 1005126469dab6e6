package io.onceberg.it.fuzz;

import io.onceberg.ingest.decode.RegistryAvroConverter;
import java.util.Map;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.storage.Converter;

/** How records are written. */
enum Encoding {
  JSON,
  JSON_WITH_SCHEMA,
  AVRO;

  /** The converter and its settings, as the daemon's files name them, without their prefix. */
  Map<String, String> settings(String registry) {
    return this == AVRO
        ? Map.of(
            "converter", RegistryAvroConverter.class.getName(), "schema.registry.url", registry)
        : Map.of(
            "converter",
            JsonConverter.class.getName(),
            "schemas.enable",
            String.valueOf(this == JSON_WITH_SCHEMA),
            "replace.null.with.default",
            "false");
  }

  Converter converter(String registry, boolean key) {
    Converter converter = this == AVRO ? new RegistryAvroConverter() : new JsonConverter();
    converter.configure(settings(registry), key);
    return converter;
  }
}
