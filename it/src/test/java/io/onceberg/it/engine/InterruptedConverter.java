package io.onceberg.it.engine;

import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.storage.Converter;

/** JSON, with an interruption: lets something happen while a batch is being read. */
public final class InterruptedConverter implements Converter {
  private static final AtomicReference<Runnable> MEANWHILE = new AtomicReference<>(() -> {});

  private final JsonConverter json = new JsonConverter();

  /** What happens, once, when the next value is converted. */
  static void meanwhile(Runnable action) {
    MEANWHILE.set(action);
  }

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    json.configure(configs, isKey);
  }

  @Override
  public byte[] fromConnectData(String topic, Schema schema, Object value) {
    return json.fromConnectData(topic, schema, value);
  }

  @Override
  public SchemaAndValue toConnectData(String topic, byte[] value) {
    MEANWHILE.getAndSet(() -> {}).run();
    return json.toConnectData(topic, value);
  }
}
