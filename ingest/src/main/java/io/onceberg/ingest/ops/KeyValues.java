package io.onceberg.ingest.ops;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** One line of the log that programs read too: a word, then {@code name=value} without blanks. */
record KeyValues(String word, Map<String, String> values) {
  KeyValues {
    values = new LinkedHashMap<>(values);
    values.forEach(
        (name, value) -> {
          if (value.isEmpty() || value.contains(" ")) {
            throw new IllegalArgumentException("'%s' cannot stand in %s=".formatted(value, name));
          }
        });
  }

  /** Finds the line in a text that may begin with time, level and logger. */
  static Optional<KeyValues> parse(String word, String text) {
    int start = text.startsWith(word + " ") ? 0 : text.indexOf(" " + word + " ");
    if (start < 0) {
      return Optional.empty();
    }
    Map<String, String> values = new LinkedHashMap<>();
    for (String part : text.substring(start).strip().substring(word.length() + 1).split(" ", -1)) {
      int equals = part.indexOf('=');
      if (equals < 1) {
        return Optional.empty();
      }
      values.put(part.substring(0, equals), part.substring(equals + 1));
    }
    return Optional.of(new KeyValues(word, values));
  }

  String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no %s in: %s".formatted(name, this));
    }
    return value;
  }

  long number(String name) {
    return Long.parseLong(text(name));
  }

  @Override
  public String toString() {
    return values.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(" ", word + " ", ""));
  }
}
