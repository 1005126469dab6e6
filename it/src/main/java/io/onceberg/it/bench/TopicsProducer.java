package io.onceberg.it.bench;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Spreads the changes of one stream over many topics of one partition each, as plain JSON. */
final class TopicsProducer implements AutoCloseable {
  private final ChangeStream stream = new ChangeStream(1);
  private final EventEncoder encoder = new JsonEventEncoder(false);
  private final KafkaProducer<byte[], byte[]> producer;
  private final AtomicReference<Exception> failure = new AtomicReference<>();

  /** Makes the topics. */
  TopicsProducer(String bootstrap, List<String> topics) {
    try (Admin admin =
        Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
      admin
          .createTopics(
              topics.stream()
                  .map(topic -> new NewTopic(topic, Optional.of(1), Optional.empty()))
                  .toList())
          .all()
          .get();
    } catch (ExecutionException e) {
      throw new BenchException("cannot create " + topics.size() + " topics", e.getCause());
    } catch (InterruptedException e) {
      throw BenchException.interrupted(e);
    }
    producer =
        new KafkaProducer<>(
            LoadProducer.settings(bootstrap), new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Writes so many records to each topic, waits until Kafka has them, and gives their number. */
  long write(List<String> topics, int each) {
    for (int i = 0; i < each; i++) {
      for (String topic : topics) {
        ChangeEvent event = stream.next();
        var unused = // the callback keeps the failure
            producer.send(
                new ProducerRecord<>(topic, 0, encoder.key(event), encoder.value(event)),
                (metadata, e) -> {
                  if (e != null) {
                    failure.compareAndSet(null, e);
                  }
                });
      }
    }
    producer.flush();
    Exception failed = failure.get();
    if (failed != null) {
      throw new BenchException("cannot write to " + topics.size() + " topics", failed);
    }
    return (long) topics.size() * each;
  }

  @Override
  public void close() {
    producer.close();
  }
}
