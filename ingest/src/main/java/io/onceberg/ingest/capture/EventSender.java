package io.onceberg.ingest.capture;

import io.debezium.engine.DebeziumEngine.ChangeConsumer;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.RecordChangeEvent;
import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends each batch of Debezium's events to Kafka. An event counts as processed, and the database's
 * slot may move past it, only after Kafka has acknowledged it.
 */
final class EventSender implements ChangeConsumer<RecordChangeEvent<SourceRecord>> {
  private static final Logger LOG = LoggerFactory.getLogger(EventSender.class);
  private static final Duration REPORT = Duration.ofSeconds(30);

  private final Topics topics;
  private final Converters converters;
  private final Producer<byte[], byte[]> producer;
  private long sent;
  private long reported;
  private long reportedNanos = System.nanoTime();

  EventSender(Topics topics, Converters converters, Producer<byte[], byte[]> producer) {
    this.topics = topics;
    this.converters = converters;
    this.producer = producer;
  }

  /** Logs how much was sent, when there is something new. */
  void report() {
    if (sent != reported) {
      LOG.info("{} records sent, {} since the last line", sent, sent - reported);
      reported = sent;
      reportedNanos = System.nanoTime();
    }
  }

  @Override
  public void handleBatch(
      List<RecordChangeEvent<SourceRecord>> events,
      RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
      throws InterruptedException {
    topics.ensure(destinations(events));
    List<Future<RecordMetadata>> sending = new ArrayList<>(events.size());
    for (RecordChangeEvent<SourceRecord> event : events) {
      sending.add(producer.send(converters.convert(event.record())));
    }
    for (int i = 0; i < events.size(); i++) {
      await(sending.get(i), events.get(i).record().topic());
      committer.markProcessed(events.get(i));
    }
    committer.markBatchFinished();
    sent += events.size();
    if (System.nanoTime() - reportedNanos > REPORT.toNanos()) {
      report();
    }
  }

  private static Set<String> destinations(List<RecordChangeEvent<SourceRecord>> events) {
    Set<String> destinations = new LinkedHashSet<>();
    events.forEach(event -> destinations.add(event.record().topic()));
    return destinations;
  }

  private static void await(Future<RecordMetadata> sending, String topic)
      throws InterruptedException {
    try {
      sending.get();
    } catch (ExecutionException e) {
      throw new OncebergException(
          ErrorCode.KAFKA_REFUSED,
          "Kafka did not take an event of topic %s (%s); nothing past it counts as sent"
              .formatted(topic, e.getCause() == null ? e : e.getCause().getMessage()),
          e);
    }
  }
}
