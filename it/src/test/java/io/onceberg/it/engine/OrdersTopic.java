package io.onceberg.it.engine;

import io.onceberg.it.stack.SharedStack;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A topic of table public.orders for each test, and a pipeline into a warehouse of its own. */
abstract class OrdersTopic {
  @TempDir Path directory;
  String topic = "";
  Pipeline pipeline;

  private final int partitions;

  OrdersTopic(int partitions) {
    this.partitions = partitions;
  }

  @BeforeEach
  void open() {
    topic = SharedStack.uniqueName("orders") + ".public.orders";
    Pipeline.createTopic(topic, partitions);
    pipeline = new Pipeline(directory, Map.of("topics", topic));
  }

  @AfterEach
  void close() {
    pipeline.close();
  }
}
