package io.onceberg.ingest.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.onceberg.keystore.KeyStats;
import io.onceberg.keystore.KeyStats.Day;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Prints the figures of keys tables, for people and for programs. */
final class KeyStatsText {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double MIB = 1 << 20;

  private KeyStatsText() {}

  /** A block of lines. */
  static String of(KeyStats stats, int mostDays) {
    StringBuilder text = new StringBuilder();
    line(
        text,
        "%s (%s, identity version %d)",
        stats.target(),
        word(stats.kind()),
        stats.identityVersion());
    line(
        text,
        "  keys           %,d in %,d files of %,d days, %.2f MiB",
        stats.keys(),
        stats.files(),
        stats.days().size(),
        stats.bytes() / MIB);
    line(
        text,
        "  bytes per key  %.2f (data %.2f, filters %.2f)",
        stats.dataBytesPerKey() + stats.filterBytesPerKey(),
        stats.dataBytesPerKey(),
        stats.filterBytesPerKey());
    line(
        text,
        "  memory         %.2f MiB for indexes and filters; those of all targets may take %.2f MiB",
        stats.memoryBytes() / MIB,
        stats.memoryBudgetBytes() / MIB);
    line(
        text,
        "  horizon        %s",
        stats.horizon().map(LocalDate::toString).orElse("none, no keys"));
    if (stats.droppedBefore() != null) {
      line(text, "  dropped        keys loaded before %s", stats.droppedBefore());
    }
    if (stats.filesReadWhole() > 0) {
      line(
          text,
          "  without index  %,d files of another writer are read as a whole",
          stats.filesReadWhole());
    }
    appendDays(text, stats.days(), mostDays);
    return text.append(System.lineSeparator()).toString();
  }

  private static void appendDays(StringBuilder text, List<Day> days, int most) {
    if (days.isEmpty() || most == 0) {
      return;
    }
    line(text, "");
    line(text, "  loaded_date              keys   files        MiB  files by size, small to large");
    days.stream().limit(most).forEach(day -> append(text, name(day.loadedDate()), day));
    if (days.size() > most) {
      List<Day> rest = days.subList(most, days.size());
      line(
          text,
          "  %-11s %,17d %,7d %,10.2f",
          rest.size() + " more",
          rest.stream().mapToLong(Day::keys).sum(),
          rest.stream().mapToInt(Day::files).sum(),
          rest.stream().mapToLong(Day::bytes).sum() / MIB);
    }
  }

  private static void append(StringBuilder text, String name, Day day) {
    line(
        text,
        "  %-11s %,17d %,7d %,10.2f  %s",
        name,
        day.keys(),
        day.files(),
        day.bytes() / MIB,
        day.filesByTier().stream().map(String::valueOf).collect(Collectors.joining(" ")));
  }

  private static String name(@Nullable LocalDate day) {
    return Objects.toString(day, "no day");
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** What all targets that were printed take together. */
  static String sum(List<KeyStats> all) {
    if (all.isEmpty()) {
      return "no targets there yet; tables are made at the first event of their topic%n"
          .formatted();
    }
    if (all.size() == 1) {
      return "";
    }
    return "%,d targets: %,d keys, %.2f MiB of %.2f MiB memory for indexes and filters%n"
        .formatted(
            all.size(),
            all.stream().mapToLong(KeyStats::keys).sum(),
            all.stream().mapToLong(KeyStats::memoryBytes).sum() / MIB,
            all.get(0).memoryBudgetBytes() / MIB);
  }

  /** One line. */
  static String json(KeyStats stats) {
    ObjectNode node = JSON.createObjectNode();
    node.put("target", stats.target().toString());
    node.put("kind", word(stats.kind()));
    node.put("identityVersion", stats.identityVersion());
    node.put("keys", stats.keys());
    node.put("files", stats.files());
    node.put("bytes", stats.bytes());
    node.put("filterBytes", stats.filterBytes());
    node.put("dataBytesPerKey", stats.dataBytesPerKey());
    node.put("filterBytesPerKey", stats.filterBytesPerKey());
    node.put("memoryBytes", stats.memoryBytes());
    node.put("memoryBudgetBytes", stats.memoryBudgetBytes());
    node.put("filesReadWhole", stats.filesReadWhole());
    node.put("horizon", stats.horizon().map(LocalDate::toString).orElse(null));
    node.put("droppedBefore", Objects.toString(stats.droppedBefore(), null));
    stats.days().forEach(day -> day(node.withArray("days").addObject(), day));
    return node + System.lineSeparator();
  }

  private static void day(ObjectNode node, Day day) {
    node.put("loadedDate", day.loadedDate() == null ? null : day.loadedDate().toString());
    node.put("keys", day.keys());
    node.put("files", day.files());
    node.put("bytes", day.bytes());
    day.filesByTier().forEach(node.withArray("filesByTier")::add);
  }

  private static void line(StringBuilder text, String format, @Nullable Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
  }
}
