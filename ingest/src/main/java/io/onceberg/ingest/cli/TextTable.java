package io.onceberg.ingest.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** Rows as an aligned text, numbers to the right. */
final class TextTable {
  private TextTable() {}

  /** The first rows, and a line that says how many, or that there are more. */
  static String of(Dataset<Row> rows, int limit) {
    List<Row> found = rows.limit(limit + 1).collectAsList();
    boolean more = found.size() > limit;
    List<String[]> lines = new ArrayList<>();
    lines.add(rows.columns());
    found.stream().limit(limit).map(TextTable::cells).forEach(lines::add);
    int[] widths = new int[rows.columns().length];
    lines.forEach(line -> Arrays.setAll(widths, i -> Math.max(widths[i], line[i].length())));
    StringBuilder text = new StringBuilder();
    for (int line = 0; line < lines.size(); line++) {
      append(text, lines.get(line), widths, line == 0 ? null : found.get(line - 1));
      if (line == 0) {
        text.append("-".repeat(Arrays.stream(widths).sum() + 2 * Math.max(0, widths.length - 1)));
        text.append(System.lineSeparator());
      }
    }
    String count = more ? "the first " + limit : String.valueOf(found.size());
    return text.append('(').append(count).append(" rows)%n".formatted()).toString();
  }

  private static void append(StringBuilder text, String[] cells, int[] widths, @Nullable Row row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      String gap = " ".repeat(widths[i] - cells[i].length());
      boolean right = row != null && row.get(i) instanceof Number;
      line.append(i == 0 ? "" : "  ").append(right ? gap + cells[i] : cells[i] + gap);
    }
    text.append(line.toString().stripTrailing()).append(System.lineSeparator());
  }

  private static String[] cells(Row row) {
    String[] cells = new String[row.size()];
    Arrays.setAll(cells, i -> text(row.get(i)));
    return cells;
  }

  /** A value for people: structs and lists in brackets, bytes in hex. */
  static String text(@Nullable Object value) {
    if (value == null) {
      return "null";
    }
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof Row row) {
      return Arrays.asList(cells(row)).toString();
    }
    if (value instanceof scala.collection.Seq<?> list) {
      return CollectionConverters.asJava(list).stream().map(TextTable::text).toList().toString();
    }
    return value.toString();
  }
}
