package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.it.stack.SharedStack;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.storage.Converter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two daemons on one target: the slower one is fenced, whatever it was doing. */
class TwoDaemonsTest {
  /** What happens when the next value is converted. */
  private static final AtomicReference<Runnable> MEANWHILE = new AtomicReference<>(() -> {});

  /** JSON, with an interruption. */
  public static final class InterruptedConverter implements Converter {
    private final JsonConverter json = new JsonConverter();

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

  @Test
  void aBatchCommittedWhileTheTablesAreToBeEvolvedFences(@TempDir Path directory) {
    String topic = SharedStack.uniqueName("two") + ".public.orders";
    Pipeline.createTopic(topic, 1);
    Map<String, String> settings = Map.of("topics", topic);
    Map<String, String> interrupted = new HashMap<>(settings);
    interrupted.put("value.converter", InterruptedConverter.class.getName());
    try (Pipeline slower = new Pipeline(directory, interrupted);
        Pipeline faster = new Pipeline(directory, settings)) {
      slower.send(topic, 0, List.of(Event.create(1, 1, "a")));
      assertThat(slower.landed().rows()).isEqualTo(1);
      slower.send(
          topic, 0, List.of(Event.change('c', 2, 7, Event.key(2), null, "{\"id\":2,\"more\":5}")));
      MEANWHILE.set(() -> assertThat(faster.landed().rows()).isEqualTo(1));
      assertThat(slower.failed().error().code()).isEqualTo(ErrorCode.FENCED);
      slower.send(topic, 0, List.of(Event.create(3, 3, "c")));
      assertThat(slower.landed().rows()).isEqualTo(1);
      assertThat(slower.count("orders")).isEqualTo(3);
    }
  }
}
