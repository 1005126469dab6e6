package io.onceberg.ingest.source;

import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.KafkaSettings;
import io.onceberg.ingest.source.TopicState.Bounds;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What Kafka holds: topics, their ids, and the offsets that can be read. */
final class KafkaLog implements AutoCloseable {
  private static final long LOOK_MILLIS = 100;

  /** What was asked last may be the group's offsets, which lag monitors then see. */
  private static final Duration CLOSE = Duration.ofSeconds(2);

  private final String servers;
  private final Admin admin;
  private final BooleanSupplier cancelled;

  /**
   * Opens a client; nothing is asked yet.
   *
   * @param cancelled asked while waiting; when true, the wait ends with CancellationException
   */
  KafkaLog(KafkaSettings kafka, BooleanSupplier cancelled) {
    this.servers = kafka.bootstrapServers();
    this.cancelled = cancelled;
    try {
      this.admin = Admin.create(adminProperties(kafka));
    } catch (KafkaException e) {
      throw KafkaErrors.numbered(e, "connecting", servers);
    }
  }

  Admin admin() {
    return admin;
  }

  /** The names of all topics that match, without Kafka's internal ones. */
  List<String> matching(Pattern pattern) {
    return await(
            admin.listTopics(new ListTopicsOptions().listInternal(false)).names(), "listing topics")
        .stream()
        .filter(topic -> pattern.matcher(topic).matches())
        .sorted()
        .toList();
  }

  /** The state of those of the topics that exist. */
  Map<String, TopicState> states(Collection<String> topics) {
    Map<String, TopicDescription> descriptions = describe(topics);
    List<TopicPartition> partitions =
        descriptions.values().stream()
            .flatMap(
                topic ->
                    topic.partitions().stream()
                        .map(TopicPartitionInfo::partition)
                        .map(number -> new TopicPartition(topic.name(), number)))
            .toList();
    var first = offsets(partitions, OffsetSpec.earliest());
    var last = offsets(partitions, OffsetSpec.latest());
    Map<TopicPartition, ListOffsetsResultInfo> begins = await(first, "listing first offsets");
    Map<TopicPartition, ListOffsetsResultInfo> ends = await(last, "listing last offsets");
    Map<String, SortedMap<Integer, Bounds>> bounds = new HashMap<>();
    begins.forEach(
        (partition, begin) -> {
          ListOffsetsResultInfo end = ends.get(partition);
          if (end != null) {
            bounds
                .computeIfAbsent(partition.topic(), topic -> new TreeMap<>())
                .put(partition.partition(), new Bounds(begin.offset(), end.offset()));
          }
        });
    Map<String, TopicState> states = new HashMap<>();
    bounds.forEach(
        (topic, partitionBounds) -> {
          TopicDescription description = descriptions.get(topic);
          if (description != null) {
            states.put(
                topic, new TopicState(topic, description.topicId().toString(), partitionBounds));
          }
        });
    return states;
  }

  private Map<String, TopicDescription> describe(Collection<String> topics) {
    Map<String, TopicDescription> found = new HashMap<>();
    Map<String, KafkaFuture<TopicDescription>> asked =
        admin.describeTopics(topics).topicNameValues();
    asked.forEach(
        (topic, future) -> {
          try {
            found.put(topic, await(future, "describing " + topic));
          } catch (OncebergException e) {
            if (!isMissing(e)) {
              throw e;
            }
          }
        });
    return found;
  }

  private static boolean isMissing(Exception failure) {
    Throwable cause = failure.getCause();
    return cause instanceof ExecutionException
        && cause.getCause() instanceof UnknownTopicOrPartitionException;
  }

  private KafkaFuture<Map<TopicPartition, ListOffsetsResultInfo>> offsets(
      List<TopicPartition> partitions, OffsetSpec spec) {
    Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
    partitions.forEach(partition -> wanted.put(partition, spec));
    return admin.listOffsets(wanted, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED)).all();
  }

  private <T> T await(KafkaFuture<T> future, String doing) {
    while (true) {
      try {
        return future.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (cancelled.getAsBoolean()) {
          CancellationException end = new CancellationException(doing);
          end.initCause(e);
          throw end;
        }
      } catch (ExecutionException e) {
        throw KafkaErrors.numbered(e, doing, servers);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        CancellationException end = new CancellationException(doing);
        end.initCause(e);
        throw end;
      }
    }
  }

  private static Map<String, Object> adminProperties(KafkaSettings kafka) {
    Map<String, Object> properties = new HashMap<>();
    String timeout = String.valueOf(kafka.pollTimeout().toMillis());
    properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, timeout);
    properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, timeout);
    properties.putAll(kafka.properties());
    properties.keySet().retainAll(AdminClientConfig.configNames());
    properties.merge(
        AdminClientConfig.CLIENT_ID_CONFIG, "onceberg", (given, ours) -> given + "-admin");
    return properties;
  }

  /** Waits a moment for what is under way, then gives it up. */
  @Override
  public void close() {
    admin.close(CLOSE);
  }
}
