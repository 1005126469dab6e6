package io.onceberg.ingest.capture;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.CaptureConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Debezium's engine from its start to its end, in good order or with an error. */
public final class Capture {
  private static final Logger LOG = LoggerFactory.getLogger(Capture.class);
  private static final Duration STOP = Duration.ofSeconds(8);

  private final CaptureConfig config;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicReference<@Nullable OncebergException> failure = new AtomicReference<>();
  private @Nullable DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
  private @Nullable KafkaProducer<byte[], byte[]> producer;
  private boolean stopping;

  public Capture(CaptureConfig config) {
    this.config = config;
  }

  /**
   * Runs until {@link #stop} or an error.
   *
   * @throws OncebergException OB-201 when Kafka does not answer at the start, OB-601 when the
   *     connector ends with an error
   */
  public void run() throws InterruptedException {
    try (Topics topics = new Topics(config)) {
      topics.reach();
      run(topics);
    } finally {
      ended.countDown();
    }
  }

  private void run(Topics topics) throws InterruptedException {
    try (KafkaProducer<byte[], byte[]> opened =
        new KafkaProducer<>(
            config.producer(), new ByteArraySerializer(), new ByteArraySerializer())) {
      EventSender sender = new EventSender(topics, new Converters(config), opened);
      DebeziumEngine<RecordChangeEvent<SourceRecord>> built = build(sender);
      if (open(built, opened)) {
        built.run();
      }
      sender.report();
    }
    OncebergException error = failure.get();
    if (error != null) {
      throw error;
    }
  }

  /**
   * Asks for the end and waits for it: events in flight are acknowledged, the position is stored.
   * Returns after 10 s at the latest; what was not acknowledged then comes again at the next start.
   */
  public void stop() {
    DebeziumEngine<RecordChangeEvent<SourceRecord>> running = markStopping();
    Thread closer = new Thread(() -> close(running), "capture-stop");
    closer.setDaemon(true);
    closer.start();
    if (!awaitEnd(STOP)) {
      abandonProducer();
      awaitEnd(Duration.ofSeconds(2));
    }
  }

  private synchronized boolean open(
      DebeziumEngine<RecordChangeEvent<SourceRecord>> built, KafkaProducer<byte[], byte[]> opened) {
    engine = built;
    producer = opened;
    return !stopping;
  }

  private synchronized @Nullable DebeziumEngine<RecordChangeEvent<SourceRecord>> markStopping() {
    stopping = true;
    return engine;
  }

  private synchronized boolean stopping() {
    return stopping;
  }

  private synchronized void abandonProducer() {
    if (producer != null) {
      producer.close(Duration.ZERO);
    }
  }

  private boolean awaitEnd(Duration time) {
    try {
      return ended.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static void close(@Nullable DebeziumEngine<RecordChangeEvent<SourceRecord>> running) {
    if (running == null) {
      return;
    }
    try {
      running.close();
    } catch (IOException | IllegalStateException e) {
      LOG.info("the connector was ending already ({})", e.getMessage());
    }
  }

  private DebeziumEngine<RecordChangeEvent<SourceRecord>> build(EventSender sender) {
    Properties properties = new Properties();
    properties.putAll(config.debezium());
    makeDataDirectory();
    LOG.info(
        "capture {} starts, to Kafka at {}",
        properties.getProperty("topic.prefix"),
        config.bootstrapServers());
    return DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
        .using(properties)
        .using(this::completed)
        .using(new Milestones())
        .notifying(sender)
        .build();
  }

  private void makeDataDirectory() {
    try {
      Files.createDirectories(config.dataDirectory());
    } catch (IOException e) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "capture.data.dir=%s cannot be made (%s)".formatted(config.dataDirectory(), e),
          e);
    }
  }

  private void completed(boolean success, @Nullable String message, @Nullable Throwable error) {
    if (success || stopping()) {
      LOG.info("capture ended: {}", message);
      return;
    }
    failure.set(
        new OncebergException(
            ErrorCode.CAPTURE_FAILED,
            "%s%s; what was not acknowledged comes again at the next start"
                .formatted(message, reason(message, error)),
            error));
  }

  /** The innermost cause says what went wrong; Debezium's message often only says that. */
  private static String reason(@Nullable String message, @Nullable Throwable error) {
    Throwable inner = error;
    while (inner != null && inner.getCause() != null && inner.getCause() != inner) {
      inner = inner.getCause();
    }
    if (inner == null || inner.getMessage() == null) {
      return "";
    }
    return message != null && message.contains(inner.getMessage())
        ? ""
        : " (" + inner.getMessage() + ")";
  }

  /** Says that the connector is up: the first thing to look for in the log. */
  private static final class Milestones implements DebeziumEngine.ConnectorCallback {
    @Override
    public void pollingStarted() {
      LOG.info("capture is reading the database");
    }
  }
}
