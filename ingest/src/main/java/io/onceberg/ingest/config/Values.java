package io.onceberg.ingest.config;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.Map;
import java.util.Optional;

/** The file's texts, read through the settings' definitions. */
record Values(Map<String, String> texts) {
  Values {
    texts = Map.copyOf(texts);
  }

  /** The value given, or the default. */
  <T> T get(Setting<T> setting) {
    return find(setting)
        .or(
            () ->
                Optional.ofNullable(setting.defaultText())
                    .map(t -> setting.parse(setting.name(), t)))
        .orElseThrow(
            () ->
                new OncebergException(
                    ErrorCode.MISSING_SETTING,
                    "%s is not set: %s".formatted(setting.name(), setting.doc())));
  }

  /** The value given, if any. */
  <T> Optional<T> find(Setting<T> setting) {
    return find(setting.name(), setting);
  }

  /** The value given under a name of its own for a setting, if any. */
  <T> Optional<T> find(String key, Setting<T> setting) {
    return Optional.ofNullable(texts.get(key)).map(text -> setting.parse(key, text));
  }

  Map<String, String> under(Settings.Family family) {
    return ConfigFile.under(texts, family.prefix());
  }

  @Override
  public String toString() {
    return "Values" + texts.keySet();
  }
}
