package io.onceberg.ingest.config;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** Refuses a name that is no setting, and says which was probably meant. */
final class KnownNames {
  /** Kafka settings that exactly-once reading depends on; they are not the user's to choose. */
  private static final Set<String> FIXED =
      Set.of(
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          ConsumerConfig.ISOLATION_LEVEL_CONFIG,
          ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
          ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);

  private KnownNames() {}

  /**
   * Checks one name.
   *
   * @throws OncebergException OB-101, or OB-102 for a Kafka setting that is fixed
   */
  static void check(String key) {
    if (key.startsWith(Settings.KAFKA.prefix())) {
      checkKafka(key, key.substring(Settings.KAFKA.prefix().length()));
      return;
    }
    boolean known =
        ownNames().contains(key)
            || TableKey.parse(key).isPresent()
            || Settings.FAMILIES.stream().anyMatch(family -> belongs(key, family));
    if (!known) {
      throw unknown(key, NearestName.of(key, candidates(key)));
    }
  }

  private static boolean belongs(String key, Settings.Family family) {
    return key.startsWith(family.prefix()) && key.length() > family.prefix().length();
  }

  /** Kafka's plug-ins have settings that no one can list, so only a near miss is refused. */
  private static void checkKafka(String key, String name) {
    if (FIXED.contains(name)) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          key + " is fixed: reading each record exactly once depends on it; remove the line");
    }
    Set<String> known = new HashSet<>(ConsumerConfig.configNames());
    known.addAll(AdminClientConfig.configNames());
    if (!known.contains(name)) {
      NearestName.of(name, known, 2)
          .ifPresent(
              nearest -> {
                throw unknown(key, Optional.of(Settings.KAFKA.prefix() + nearest));
              });
    }
  }

  static OncebergException unknown(String key, Optional<String> nearest) {
    return new OncebergException(
        ErrorCode.UNKNOWN_SETTING,
        "'%s' is no setting%s; see docs/configuration.md"
            .formatted(key, nearest.map(name -> "; did you mean '" + name + "'?").orElse("")));
  }

  private static List<String> ownNames() {
    return Settings.SECTIONS.stream()
        .flatMap(section -> section.settings().stream())
        .map(setting -> setting.name())
        .toList();
  }

  private static List<String> candidates(String key) {
    List<String> names = new ArrayList<>(ownNames());
    names.addAll(List.of("catalog.type", "catalog.uri", "catalog.warehouse", "spark.master"));
    int first = key.indexOf('.');
    int second = key.indexOf('.', first + 1);
    if (second > 0) {
      String table = key.substring(first + 1, second);
      Settings.TABLE.forEach(setting -> names.add(TableKey.name(table, setting.name())));
    }
    return names;
  }
}
