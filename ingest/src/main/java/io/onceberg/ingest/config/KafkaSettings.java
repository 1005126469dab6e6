package io.onceberg.ingest.config;

import java.time.Duration;
import java.util.Map;

/**
 * How to reach Kafka. Prints the names of the properties only, since values may be secret.
 *
 * @param properties Kafka client properties, {@code bootstrap.servers} among them
 * @param groupId the group whose offsets are set after each commit
 * @param pollTimeout how long Kafka may stay silent
 */
public record KafkaSettings(Map<String, String> properties, String groupId, Duration pollTimeout) {
  public KafkaSettings {
    properties = Map.copyOf(properties);
  }

  /** The brokers as the user wrote them. */
  public String bootstrapServers() {
    return properties.getOrDefault("bootstrap.servers", "");
  }

  @Override
  public String toString() {
    return "KafkaSettings[%s, group=%s, properties=%s]"
        .formatted(bootstrapServers(), groupId, properties.keySet());
  }
}
