package io.onceberg.ingest.config;

import java.util.List;

/** The settings of {@code onceberg capture}, beside those that it shares with the daemon. */
final class CaptureSettings {
  static final Setting<Long> PARTITIONS =
      Setting.number(
          "capture.topic.partitions",
          1,
          10_000,
          1,
          "Partitions of a topic that capture makes. Events of one key stay in one partition."
              + " Tables without a key want one (docs/identity.md).");
  static final Setting<Long> REPLICATION =
      Setting.number(
          "capture.topic.replication",
          -1,
          Short.MAX_VALUE,
          -1,
          "Replicas of a topic that capture makes; -1 takes the broker's default.");
  static final Setting<String> DATA_DIRECTORY =
      Setting.text(
          "capture.data.dir",
          "onceberg-data/capture",
          "Where capture keeps how far it has read the database, unless"
              + " `debezium.offset.storage` says another place.");

  static final List<Setting<?>> ALL = List.of(PARTITIONS, REPLICATION, DATA_DIRECTORY);

  static final Settings.Family TOPIC_CONFIG =
      new Settings.Family(
          "capture.topic.config.",
          "Kafka's settings for the topics that capture makes, such as `retention.ms`.");
  static final Settings.Family PRODUCER =
      new Settings.Family(
          "capture.producer.",
          "Settings of capture's Kafka producer, such as `linger.ms`. Acknowledgement, idempotence"
              + " and serializers are fixed and refused here.");
  static final Settings.Family DEBEZIUM =
      new Settings.Family(
          "debezium.",
          "Debezium's own settings, for `onceberg capture`; the daemon passes them over."
              + " `debezium.topic.prefix` is required. Transaction metadata is always sent.");

  /** Names under {@code capture.}; those under {@code debezium.} are Debezium's to know. */
  static final List<Settings.Family> FAMILIES = List.of(TOPIC_CONFIG, PRODUCER);

  private CaptureSettings() {}
}
