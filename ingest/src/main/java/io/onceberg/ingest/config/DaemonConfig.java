package io.onceberg.ingest.config;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.CatalogSettings;
import io.onceberg.keystore.KeySettings;
import io.onceberg.keystore.TargetName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The daemon's settings, checked. Holds secrets and prints none. */
public final class DaemonConfig {
  private final Values values;
  private final Routing routing;
  private final TopicSelection topics;
  private final KafkaSettings kafka;
  private final CatalogSettings catalog;
  private final BatchLimits batch;
  private final RetrySettings retry;

  private DaemonConfig(Values values) {
    this.values = values;
    this.routing = new Routing(values);
    this.topics = selection(values);
    this.kafka = kafka(values);
    this.catalog = catalog(values);
    this.batch =
        new BatchLimits(
            values.get(Settings.MAX_ROWS),
            values.get(Settings.MAX_BYTES),
            Duration.ofMillis(values.get(Settings.MAX_WAIT)));
    this.retry = retry(values);
    routing.namedTables().keySet().forEach(routing::definition);
    if (topics instanceof TopicSelection.Listed listed) {
      checkListed(listed.topics());
    }
    values.get(Settings.COMPACT_PAST_DAYS);
    values.get(Settings.HEALTH_LIMIT);
    values.get(Settings.SUMMARY);
    values.get(Settings.START_WAIT);
    values.get(Settings.TOPICS_START);
  }

  /**
   * Reads and checks a file.
   *
   * @throws OncebergException OB-101 to OB-104
   */
  public static DaemonConfig load(Path file) {
    return of(ConfigFile.read(file));
  }

  /**
   * Checks settings that were read already.
   *
   * @throws OncebergException OB-101 to OB-103
   */
  public static DaemonConfig of(Map<String, String> texts) {
    new TreeMap<>(texts).keySet().forEach(KnownNames::check);
    return new DaemonConfig(new Values(texts));
  }

  /**
   * The namespace of tables named without one, for commands that only read tables.
   *
   * @throws OncebergException OB-102
   */
  public static String namespaceOf(Map<String, String> texts) {
    return new Values(texts).get(Settings.NAMESPACE);
  }

  /**
   * The catalog alone, for commands that only read tables; no other setting need be there.
   *
   * @throws OncebergException OB-101 or OB-102
   */
  public static CatalogSettings catalogOf(Map<String, String> texts) {
    new TreeMap<>(texts).keySet().forEach(KnownNames::check);
    return catalog(new Values(texts));
  }

  /**
   * How keys tables are kept, for commands that only work on tables.
   *
   * @throws OncebergException OB-102
   */
  public static KeySettings keysOf(Map<String, String> texts) {
    return Routing.keys(new Values(texts));
  }

  /**
   * The target that a user names, with its namespace or without, for commands that only work on
   * tables.
   *
   * @throws OncebergException OB-102
   */
  public static TargetName targetOf(Map<String, String> texts, String table) {
    return new Routing(new Values(texts)).name("--table", table);
  }

  /**
   * What is set for a target that a user names, with its namespace or without, for commands that
   * only work on tables.
   *
   * @throws OncebergException OB-101 to OB-103
   */
  public static TargetDefinition definitionOf(Map<String, String> texts, String table) {
    new TreeMap<>(texts).keySet().forEach(KnownNames::check);
    Routing routing = new Routing(new Values(texts));
    return routing.definition(routing.name("--table", table));
  }

  /** The namespaces in which targets may lie, as far as the settings tell. */
  public static SortedSet<String> namespacesOf(Map<String, String> texts) {
    return new Routing(new Values(texts)).namespaces();
  }

  public KafkaSettings kafka() {
    return kafka;
  }

  public TopicSelection topics() {
    return topics;
  }

  /** Whether the daemon merges the keys of past days beside its batches. */
  public boolean compactsPastDays() {
    return values.get(Settings.COMPACT_PAST_DAYS);
  }

  /** What happens to a partition that no ledger knows. */
  public StartPolicy start() {
    return values.get(Settings.TOPICS_START);
  }

  public CatalogSettings catalog() {
    return catalog;
  }

  public BatchLimits batch() {
    return batch;
  }

  public RetrySettings retry() {
    return retry;
  }

  /** How long Kafka or the catalog may not answer at the start before the daemon gives up. */
  public Duration startWait() {
    return Duration.ofMillis(values.get(Settings.START_WAIT));
  }

  /** How long records may wait for a commit before the daemon counts as unhealthy. */
  public Duration healthLimit() {
    return batch().maxWait().plusMillis(values.get(Settings.HEALTH_LIMIT));
  }

  /** How often a summary is logged. */
  public Duration summaryInterval() {
    return Duration.ofMillis(values.get(Settings.SUMMARY));
  }

  /** Spark's settings with their {@code spark.} prefix. */
  public Map<String, String> spark() {
    return spark(values.texts());
  }

  /** Spark's settings among others, with their {@code spark.} prefix. */
  public static Map<String, String> spark(Map<String, String> texts) {
    Map<String, String> spark = new TreeMap<>();
    ConfigFile.under(texts, Settings.SPARK.prefix())
        .forEach((name, value) -> spark.put(Settings.SPARK.prefix() + name, value));
    return spark;
  }

  /** The target that a topic's records go to. */
  public TargetName route(String topic) {
    return routing.route(topic);
  }

  /** What is set for a target; any name has a definition, from the defaults if nothing else. */
  public TargetDefinition target(TargetName name) {
    return routing.definition(name);
  }

  /** The targets of these topics, each with its topics in order. */
  public SortedMap<TargetName, List<String>> targetsOf(List<String> names) {
    SortedMap<TargetName, List<String>> targets =
        new TreeMap<>(Comparator.comparing(TargetName::toString));
    for (String topic : names.stream().sorted().distinct().toList()) {
      targets.merge(route(topic), List.of(topic), DaemonConfig::join);
    }
    targets.forEach(this::checkShared);
    return targets;
  }

  /** The definitions of all targets that are known from the file alone. */
  public List<TargetDefinition> listedTargets() {
    if (topics instanceof TopicSelection.Listed listed) {
      return targetsOf(listed.topics()).keySet().stream().map(this::target).toList();
    }
    return routing.namedTables().keySet().stream().map(this::target).toList();
  }

  /** Two topics end in one table only where the user said so for each of them. */
  private void checkShared(TargetName target, List<String> sources) {
    if (sources.size() > 1 && !sources.stream().allMatch(routing::isExplicit)) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "topics %s would all go to table %s; where that is meant, say route.<topic>=%s for each,"
                  .formatted(sources, target, target)
              + " else give each a table of its own");
    }
  }

  private void checkListed(List<String> listed) {
    SortedMap<TargetName, List<String>> targets = targetsOf(listed);
    targets.keySet().forEach(routing::definition);
    for (String topic : routing.routedTopics()) {
      if (!listed.contains(topic)) {
        throw KnownNames.unknown(
            Settings.ROUTE.prefix() + topic,
            NearestName.of(topic, listed).map(near -> Settings.ROUTE.prefix() + near));
      }
    }
    routing
        .namedTables()
        .forEach(
            (target, written) -> {
              if (!targets.containsKey(target)) {
                throw KnownNames.unknown(
                    TableKey.PREFIX + written + ".*", nearestTable(written, targets));
              }
            });
  }

  private static Optional<String> nearestTable(
      String written, SortedMap<TargetName, List<String>> targets) {
    return NearestName.of(written, targets.keySet().stream().map(TargetName::table).toList())
        .map(near -> TableKey.PREFIX + near + ".*");
  }

  private static List<String> join(List<String> left, List<String> right) {
    List<String> all = new ArrayList<>(left);
    all.addAll(right);
    return List.copyOf(all);
  }

  private static TopicSelection selection(Values values) {
    Optional<List<String>> listed = values.find(Settings.TOPICS);
    Optional<Pattern> matching = values.find(Settings.TOPICS_REGEX);
    if (listed.isPresent() == matching.isPresent()) {
      throw new OncebergException(
          listed.isPresent() ? ErrorCode.INVALID_SETTING : ErrorCode.MISSING_SETTING,
          listed.isPresent()
              ? "topics and topics.regex are both set; keep one"
              : "topics is not set: give topics=a,b or topics.regex=...");
    }
    return listed
        .<TopicSelection>map(TopicSelection.Listed::new)
        .orElseGet(() -> new TopicSelection.Matching(matching.orElseThrow()));
  }

  private static KafkaSettings kafka(Values values) {
    Map<String, String> properties = new TreeMap<>(values.under(Settings.KAFKA));
    properties.put("bootstrap.servers", values.get(Settings.BOOTSTRAP));
    String group = values.get(Settings.GROUP);
    properties.put("group.id", group);
    return new KafkaSettings(
        properties, group, Duration.ofMillis(values.get(Settings.POLL_TIMEOUT)));
  }

  private static RetrySettings retry(Values values) {
    Duration first = Duration.ofMillis(values.get(Settings.BACKOFF));
    Duration longest = Duration.ofMillis(values.get(Settings.BACKOFF_MAX));
    if (first.compareTo(longest) > 0) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "%s=%d is above %s=%d"
              .formatted(
                  Settings.BACKOFF.name(),
                  first.toMillis(),
                  Settings.BACKOFF_MAX.name(),
                  longest.toMillis()));
    }
    return new RetrySettings(first, longest);
  }

  /** Without a type or class of its own, the catalog is a JDBC one on SQLite in the warehouse. */
  private static CatalogSettings catalog(Values values) {
    Map<String, String> properties = new TreeMap<>(values.under(Settings.CATALOG));
    properties.remove("name");
    if (!properties.containsKey("catalog-impl")) {
      properties.putIfAbsent("type", "jdbc");
    }
    if ("jdbc".equals(properties.get("type"))) {
      properties.putIfAbsent("warehouse", "warehouse");
      properties.computeIfPresent("warehouse", (name, path) -> absolute(path));
      properties.putIfAbsent("uri", "jdbc:sqlite:" + properties.get("warehouse") + "/catalog.db");
      properties.putIfAbsent("jdbc.schema-version", "V1");
    }
    return new CatalogSettings(
        values.get(Settings.CATALOG_NAME), properties, values.get(Settings.ATOMICITY));
  }

  private static String absolute(String path) {
    return path.contains(":") ? path : Path.of(path).toAbsolutePath().normalize().toString();
  }

  @Override
  public String toString() {
    return "DaemonConfig" + new TreeMap<>(values.texts()).keySet();
  }
}
