package io.onceberg.it.bench;

import java.util.Arrays;

/** How the change events of a topic are written. */
enum EventFormat {
  /** Kafka Connect's JsonConverter with {@code schemas.enable=false}. */
  JSON("json", "JSON without schema", 100_000),
  /** Kafka Connect's JsonConverter as it comes, which is Debezium's default. */
  JSON_SCHEMA("json-schema", "JSON with embedded schema", 60_000),
  /** Avro in Confluent's wire format, the schema in a registry. */
  AVRO("avro", "Avro with registry", 150_000);

  private final String label;
  private final String title;
  private final int barPerSecond;

  EventFormat(String label, String title, int barPerSecond) {
    this.label = label;
    this.title = title;
    this.barPerSecond = barPerSecond;
  }

  /** The name on the command line and in the JSON report. */
  String label() {
    return label;
  }

  String title() {
    return title;
  }

  /** Events per second with deduplication that are to be reached on two cores. */
  int barPerSecond() {
    return barPerSecond;
  }

  static EventFormat of(String label) {
    return Arrays.stream(values())
        .filter(format -> format.label.equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown format '" + label + "'; there are json, json-schema and avro"));
  }
}
