package io.onceberg.ingest.source;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Utils;

/** What Kafka's clients say to their settings before they connect to anything. */
public final class ClientSettings {
  private ClientSettings() {}

  /**
   * Checks the values of a consumer and of an admin client, and the form of the servers' addresses.
   *
   * @throws OncebergException {@link ErrorCode#INVALID_SETTING} naming what is refused
   */
  public static void check(Map<String, String> kafka, String servers) {
    for (String server : servers.split(",", -1)) {
      if (Utils.getPort(server.strip()) == null) {
        throw new OncebergException(
            ErrorCode.INVALID_SETTING,
            "kafka.bootstrap.servers: '%s' is no host:port".formatted(server.strip()));
      }
    }
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    try {
      ConsumerConfig.configDef().parse(properties);
      AdminClientConfig.configDef().parse(properties);
    } catch (ConfigException e) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "Kafka's client refuses the settings under kafka.*: " + e.getMessage(),
          e);
    }
  }
}
