package io.onceberg.ingest.config;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.decode.DecodeSettings;
import io.onceberg.keystore.KeySettings;
import io.onceberg.keystore.SnapshotSettings;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.TargetSettings;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which target a topic's records go to, and what is set for that target. */
final class Routing {
  static final String ALL = "default";

  private static final Comparator<TargetName> BY_NAME = Comparator.comparing(TargetName::toString);

  private final Values values;
  private final String namespace;
  private final Map<String, String> routes;
  private final Map<TargetName, String> tables = new TreeMap<>(BY_NAME);

  Routing(Values values) {
    this.values = values;
    this.namespace = values.get(Settings.NAMESPACE);
    this.routes = values.under(Settings.ROUTE);
    routes.forEach((topic, table) -> name(Settings.ROUTE.prefix() + topic, table));
    for (String key : values.texts().keySet()) {
      TableKey.parse(key).map(TableKey::table).filter(t -> !t.equals(ALL)).ifPresent(this::know);
    }
  }

  private void know(String table) {
    String before = tables.put(name(TableKey.PREFIX + table, table), table);
    if (before != null && !before.equals(table)) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "table.%s.* and table.%s.* name one table; use one of them".formatted(before, table));
    }
  }

  /** The target of a topic. */
  TargetName route(String topic) {
    String table = routes.get(topic);
    if (table != null) {
      return name(Settings.ROUTE.prefix() + topic, table);
    }
    return new TargetName(namespace, topic.substring(topic.lastIndexOf('.') + 1));
  }

  /** Whether the user said where this topic goes. */
  boolean isExplicit(String topic) {
    return routes.containsKey(topic);
  }

  /** Topics that {@code route.*} names, in order. */
  List<String> routedTopics() {
    return List.copyOf(routes.keySet());
  }

  /** Targets that {@code table.*} names, with the name used there. */
  Map<TargetName, String> namedTables() {
    return tables;
  }

  /** What is set for a target. */
  TargetDefinition definition(TargetName target) {
    TargetKind kind = get(target, Settings.KIND);
    List<String> eventKey = find(target, Settings.EVENT_KEY).orElse(List.of());
    checkKey(target, kind, eventKey);
    TargetSettings table =
        new TargetSettings(
            target,
            kind,
            kind == TargetKind.EVENTS ? eventKey : List.of(),
            find(target, Settings.PARTITION_BY).orElse(List.of()),
            Math.toIntExact(values.get(Settings.EPOCH)),
            values.get(Settings.NEW_COLUMNS),
            tableProperties(target),
            keys(values),
            new SnapshotSettings(
                Math.toIntExact(get(target, Settings.HISTORY)), values.get(Settings.KEYS_HISTORY)));
    DedupPolicy dedup =
        new DedupPolicy(
            get(target, Settings.CONFLICT),
            get(target, Settings.TWINS),
            get(target, Settings.SNAPSHOT),
            get(target, Settings.KEY_REUSE));
    return new TargetDefinition(table, decodeSettings(kind), dedup);
  }

  static KeySettings keys(Values values) {
    return new KeySettings(
        values.get(Settings.FILTER_MEMORY),
        Math.toIntExact(values.get(Settings.MERGE_WIDTH)),
        values.find(Settings.RETENTION).orElse(0),
        values.get(Settings.COMPACT_PAST_DAYS));
  }

  private void checkKey(TargetName target, TargetKind kind, List<String> eventKey) {
    if (kind == TargetKind.EVENTS && eventKey.isEmpty()) {
      throw new OncebergException(
          ErrorCode.MISSING_SETTING,
          "%s is not set: a table of kind events needs the columns that identify an event"
              .formatted(TableKey.name(written(target), Settings.EVENT_KEY.name())));
    }
    String own = TableKey.name(written(target), Settings.EVENT_KEY.name());
    if (kind == TargetKind.CHANGELOG && values.texts().containsKey(own)) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "%s is for tables of kind events; set %s=events or remove it"
              .formatted(own, TableKey.name(written(target), Settings.KIND.name())));
    }
  }

  private DecodeSettings decodeSettings(TargetKind kind) {
    return new DecodeSettings(
        kind,
        values.get(Settings.NEW_COLUMNS),
        values.get(Settings.INCOMPATIBLE),
        values.get(Settings.FAST_PATHS),
        values.get(Settings.PLACEHOLDER),
        converter(Settings.KEY_CONVERTER, Settings.KEY_CONVERTER_PROPERTIES),
        converter(Settings.VALUE_CONVERTER, Settings.VALUE_CONVERTER_PROPERTIES));
  }

  private Map<String, String> converter(Setting<String> name, Settings.Family properties) {
    Map<String, String> converter = new TreeMap<>(values.under(properties));
    String converterClass = values.get(name);
    converter.put("converter", converterClass);
    if (converterClass.equals(Settings.JSON_CONVERTER)) {
      converter.putIfAbsent("schemas.enable", "true");
    }
    return converter;
  }

  private Map<String, String> tableProperties(TargetName target) {
    Map<String, String> properties = new TreeMap<>();
    for (String table : List.of(ALL, written(target))) {
      properties.putAll(
          ConfigFile.under(values.texts(), TableKey.name(table, TableKey.PROPERTIES)));
    }
    return properties;
  }

  private <T> T get(TargetName target, Setting<T> setting) {
    return find(target, setting)
        .or(
            () ->
                Optional.ofNullable(setting.defaultText())
                    .map(t -> setting.parse(setting.name(), t)))
        .orElseThrow();
  }

  private <T> Optional<T> find(TargetName target, Setting<T> setting) {
    return values
        .find(TableKey.name(written(target), setting.name()), setting)
        .or(() -> values.find(TableKey.name(ALL, setting.name()), setting));
  }

  /** The table as {@code table.*} names it. */
  private String written(TargetName target) {
    String byDefault = target.namespace().equals(namespace) ? target.table() : target.toString();
    return tables.getOrDefault(target, byDefault);
  }

  /** The namespaces of all tables that the settings name, and that of those named without one. */
  SortedSet<String> namespaces() {
    SortedSet<String> all = new TreeSet<>();
    all.add(namespace);
    tables.keySet().forEach(target -> all.add(target.namespace()));
    routes.keySet().forEach(topic -> all.add(route(topic).namespace()));
    return all;
  }

  /**
   * The target of a table that is named with its namespace or without.
   *
   * @param key where it is named, for the message
   */
  TargetName name(String key, String table) {
    try {
      return table.contains(".") ? TargetName.parse(table) : new TargetName(namespace, table);
    } catch (IllegalArgumentException e) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING, "%s cannot be used: %s".formatted(key, e.getMessage()), e);
    }
  }
}
