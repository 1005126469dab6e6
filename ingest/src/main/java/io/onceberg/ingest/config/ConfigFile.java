package io.onceberg.ingest.config;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A properties file in UTF-8 whose values may take text from elsewhere: {@code ${env:NAME}} from
 * the environment, {@code ${file:/path}} a whole file, {@code ${file:/path:key}} one key of a
 * properties file. So secrets need not stand in the file.
 */
public final class ConfigFile {
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{(env|file):([^}]+)}");

  private ConfigFile() {}

  /**
   * Reads a file.
   *
   * @return names and values, references replaced, sorted by name
   * @throws OncebergException OB-102, OB-103 or OB-104
   */
  public static SortedMap<String, String> read(Path file) {
    SortedMap<String, String> values = new TreeMap<>();
    parse(file, text(file)).forEach((key, value) -> values.put(key, resolve(file, key, value)));
    return values;
  }

  private static SortedMap<String, String> parse(Path file, String text) {
    SortedMap<String, String> values = new TreeMap<>();
    Set<String> twice = new HashSet<>();
    Properties properties =
        new Properties() {
          private static final long serialVersionUID = 1L;

          @Override
          public synchronized Object put(Object key, Object value) {
            if (values.put((String) key, ((String) value).strip()) != null) {
              twice.add((String) key);
            }
            return value;
          }
        };
    try (Reader reader = new StringReader(text)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new OncebergException(
          ErrorCode.CONFIG_UNREADABLE, file + " is not a properties file: " + e.getMessage(), e);
    }
    if (!twice.isEmpty()) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING, "%s sets %s more than once".formatted(file, twice));
    }
    return values;
  }

  private static String resolve(Path file, String key, String value) {
    return REFERENCE
        .matcher(value)
        .replaceAll(
            match -> Matcher.quoteReplacement(fetch(file, key, match.group(1), match.group(2))));
  }

  private static String fetch(Path file, String key, String provider, String name) {
    if (provider.equals("env")) {
      return found(file, key, "${env:" + name + "}", System.getenv(name));
    }
    int colon = name.indexOf(':', 2); // not the colon of a drive letter
    if (colon < 0) {
      return text(Path.of(name)).strip();
    }
    Path other = Path.of(name.substring(0, colon));
    String wanted = name.substring(colon + 1);
    return found(file, key, "${file:" + name + "}", parse(other, text(other)).get(wanted));
  }

  private static String found(Path file, String key, String reference, @Nullable String value) {
    if (value == null) {
      throw new OncebergException(
          ErrorCode.MISSING_SETTING,
          "%s in %s refers to %s, which is not set".formatted(key, file, reference));
    }
    return value;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new OncebergException(
          ErrorCode.CONFIG_UNREADABLE,
          "%s cannot be read (%s); give the path of a readable properties file"
              .formatted(file.toAbsolutePath(), e.getClass().getSimpleName()),
          e);
    }
  }

  /** Strips a prefix: the entries that begin with it, without it. */
  static Map<String, String> under(Map<String, String> values, String prefix) {
    Map<String, String> stripped = new TreeMap<>();
    values.forEach(
        (key, value) -> {
          if (key.startsWith(prefix) && key.length() > prefix.length()) {
            stripped.put(key.substring(prefix.length()), value);
          }
        });
    return stripped;
  }
}
