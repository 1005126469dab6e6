package io.onceberg.it.real;

import io.onceberg.ingest.capture.Capture;
import io.onceberg.ingest.config.CaptureConfig;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Debezium in a thread of this program; closing ends it in good order, its position stored. */
final class InProcessCapture implements AutoCloseable {
  private final Capture capture;
  private final CompletableFuture<Void> running;

  private InProcessCapture(Capture capture) {
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
    return new InProcessCapture(new Capture(CaptureConfig.of(settings)));
  }

  @Override
  public void close() {
    capture.stop();
    running.join();
  }
}
