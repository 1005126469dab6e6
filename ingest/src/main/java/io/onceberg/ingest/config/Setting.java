package io.onceberg.ingest.config;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One setting, defined once: this feeds the parser, the defaults, the documentation and the tests.
 *
 * @param name the key in the properties file; for a table's setting the part after {@code
 *     table.<table>.}
 * @param type the type and range as the documentation says it
 * @param parser makes the value; throws IllegalArgumentException for text that cannot be used
 * @param defaultText the default as a user would write it; null when there is none
 * @param doc what it does, in one or two sentences
 */
record Setting<T>(
    String name,
    String type,
    Function<String, T> parser,
    @Nullable String defaultText,
    String doc,
    boolean secret) {

  static Setting<String> text(String name, @Nullable String defaultText, String doc) {
    return new Setting<>(name, "text", Setting::notBlank, defaultText, doc, false);
  }

  static Setting<List<String>> list(String name, String doc) {
    return new Setting<>(name, "list, by comma", Setting::split, null, doc, false);
  }

  static Setting<Pattern> regex(String name, String doc) {
    return new Setting<>(name, "regular expression", Setting::compile, null, doc, false);
  }

  static Setting<Boolean> flag(String name, boolean byDefault, String doc) {
    return new Setting<>(
        name, "true or false", Setting::trueOrFalse, String.valueOf(byDefault), doc, false);
  }

  static Setting<Long> number(String name, long min, long max, long byDefault, String doc) {
    return new Setting<>(
        name,
        max == Long.MAX_VALUE ? "number from " + min : "number, %d to %d".formatted(min, max),
        text -> inRange(text, min, max),
        String.valueOf(byDefault),
        doc,
        false);
  }

  static Setting<Integer> days(String name, String doc) {
    return new Setting<>(name, "days, such as `90d`", Setting::inDays, null, doc, false);
  }

  static <E extends Enum<E>> Setting<E> choice(
      String name, Class<E> choices, E byDefault, String doc) {
    return new Setting<>(
        name,
        words(choices).stream().collect(Collectors.joining("`, `", "`", "`")),
        text -> choose(choices, text),
        word(byDefault),
        doc,
        false);
  }

  /**
   * Parses the text of a setting that the file calls {@code key}.
   *
   * @throws OncebergException OB-102 when the text cannot be used
   */
  T parse(String key, String text) {
    try {
      return parser.apply(text.strip());
    } catch (IllegalArgumentException e) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "%s=%s cannot be used: %s; expected %s"
              .formatted(key, secret ? "(hidden)" : text, e.getMessage(), type.replace("`", "")),
          e);
    }
  }

  private static String notBlank(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("it is empty");
    }
    return text;
  }

  private static List<String> split(String text) {
    List<String> parts = Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    if (parts.stream().anyMatch(String::isEmpty)) {
      throw new IllegalArgumentException("an element of the list is empty");
    }
    if (parts.stream().distinct().count() != parts.size()) {
      throw new IllegalArgumentException("an element is listed twice");
    }
    return parts;
  }

  private static Pattern compile(String text) {
    try {
      return Pattern.compile(notBlank(text));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(e.getDescription(), e);
    }
  }

  private static Boolean trueOrFalse(String text) {
    return switch (text) {
      case "true" -> Boolean.TRUE;
      case "false" -> Boolean.FALSE;
      default -> throw new IllegalArgumentException("it is neither");
    };
  }

  private static Long inRange(String text, long min, long max) {
    long value;
    try {
      value = Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("it is not a whole number", e);
    }
    if (value < min || value > max) {
      throw new IllegalArgumentException("it is out of range");
    }
    return value;
  }

  private static Integer inDays(String text) {
    if (!text.endsWith("d")) {
      throw new IllegalArgumentException("it does not end with d, for days");
    }
    return Math.toIntExact(inRange(text.substring(0, text.length() - 1), 1, 36_500));
  }

  private static <E extends Enum<E>> E choose(Class<E> choices, String text) {
    return Arrays.stream(choices.getEnumConstants())
        .filter(choice -> word(choice).equals(text))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("it is not one of these"));
  }

  private static <E extends Enum<E>> List<String> words(Class<E> choices) {
    return Arrays.stream(choices.getEnumConstants()).map(Setting::word).toList();
  }

  private static String word(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
