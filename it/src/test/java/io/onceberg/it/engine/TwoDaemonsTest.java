package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.stack.SharedStack;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two daemons on one target: the slower one is fenced, whatever it was doing. */
class TwoDaemonsTest {
  @Fault(
      area = Area.COMMIT,
      what = "two daemons on one target, one in the midst of a schema change",
      outcome = "fenced (OB-504), then everything is there once")
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
      InterruptedConverter.meanwhile(() -> assertThat(faster.landed().rows()).isEqualTo(1));
      assertThat(slower.failed().error().code()).isEqualTo(ErrorCode.FENCED);
      slower.send(topic, 0, List.of(Event.create(3, 3, "c")));
      assertThat(slower.landed().rows()).isEqualTo(1);
      assertThat(slower.count("orders")).isEqualTo(3);
    }
  }
}
