package io.onceberg.it.engine;

import io.onceberg.it.stack.SharedStack;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A topic of business events for each test, and a pipeline that knows them by a key. */
abstract class OutboxTopic {
  @TempDir private Path directory;
  String topic = "";
  private @Nullable Pipeline open;

  /**
   * Opens the test's one pipeline.
   *
   * @param key the columns of the key; empty for none
   * @param more settings
   */
  final Pipeline open(String key, Map<String, String> more) {
    topic = SharedStack.uniqueName("outbox") + ".public.outbox";
    Pipeline.createTopic(topic, 1);
    Map<String, String> settings = new HashMap<>(more);
    settings.put("topics", topic);
    settings.putIfAbsent("table.outbox.kind", "events");
    if (!key.isEmpty()) {
      settings.put("table.outbox.key", key);
    }
    Pipeline pipeline = new Pipeline(directory, settings);
    open = pipeline;
    return pipeline;
  }

  @AfterEach
  final void close() {
    if (open != null) {
      open.close();
    }
  }
}
