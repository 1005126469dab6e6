package io.onceberg.ingest.capture;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.CaptureConfig;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;

/** Makes the topics that events go to, before the first event goes there. */
final class Topics implements AutoCloseable {
  private static final long ANSWER_SECONDS = 15;

  private final CaptureConfig config;
  private final Admin admin;
  private final Set<String> known = new HashSet<>();

  Topics(CaptureConfig config) {
    this.config = config;
    this.admin = Admin.create(config.admin());
  }

  /**
   * Finds out whether Kafka answers.
   *
   * @throws OncebergException OB-201 or OB-206
   */
  void reach() throws InterruptedException {
    try {
      admin.describeCluster().nodes().get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw refused("Kafka at %s does not answer".formatted(config.bootstrapServers()), e);
    }
  }

  /**
   * Makes those of the topics that do not exist.
   *
   * @throws OncebergException OB-206 when Kafka refuses; while it is away this waits
   */
  void ensure(Collection<String> topics) throws InterruptedException {
    for (String topic : topics) {
      while (!known.contains(topic)) {
        create(topic);
      }
    }
  }

  private void create(String topic) throws InterruptedException {
    NewTopic wanted =
        new NewTopic(topic, Optional.of(config.partitions()), replication())
            .configs(config.topicConfig());
    KafkaFuture<Void> created = admin.createTopics(List.of(wanted)).all();
    try {
      created.get();
      known.add(topic);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TopicExistsException) {
        known.add(topic);
      } else if (!(e.getCause() instanceof RetriableException)) {
        throw refused("topic %s cannot be made".formatted(topic), e);
      }
    }
  }

  private Optional<Short> replication() {
    return Optional.of(config.replication()).filter(replicas -> replicas > 0);
  }

  private static OncebergException refused(String what, Exception e) {
    Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
    boolean silent = e instanceof TimeoutException || cause instanceof RetriableException;
    return new OncebergException(
        silent ? ErrorCode.KAFKA_UNREACHABLE : ErrorCode.KAFKA_REFUSED,
        what
            + (cause == null || cause.getMessage() == null ? "" : " (" + cause.getMessage() + ")")
            + "; check kafka.bootstrap.servers, the kafka.* security settings and topic rights",
        e);
  }

  @Override
  public void close() {
    admin.close(java.time.Duration.ofSeconds(2));
  }
}
