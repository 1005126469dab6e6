package io.onceberg.it.real;

import io.onceberg.ingest.capture.Capture;
import io.onceberg.ingest.config.CaptureConfig;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Debezium in a thread of this program; closing ends it in good order, its position stored. */
final class InProcessCapture implements AutoCloseable {
  private final String prefix;
  private final Capture capture;
  private final CompletableFuture<Void> running;

  private InProcessCapture(String prefix, Capture capture) {
    this.prefix = prefix;
    this.capture = capture;
    this.running =
        CompletableFuture.runAsync(
            () -> {
              try {
                capture.run();
              } catch (InterruptedException e) {
                throw new CompletionException(e);
              }
            },
            task -> new Thread(task, "capture").start());
  }

  static InProcessCapture start(Map<String, String> settings) {
    String prefix = settings.getOrDefault("debezium.topic.prefix", "");
    return new InProcessCapture(prefix, new Capture(CaptureConfig.of(settings)));
  }

  /** Waits until the topic of a table has so many records; ends at once when the capture does. */
  void awaitRecords(String table, long count) {
    Database.awaitRecords(prefix + ".public." + table, count, () -> !running.isDone());
  }

  @Override
  public void close() {
    capture.stop();
    running.join();
  }
}
