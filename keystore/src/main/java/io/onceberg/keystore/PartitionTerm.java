package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdatePartitionSpec;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.expressions.Expressions;

/**
 * One partition expression: a column, {@code identity(x)}, {@code years(x)}, {@code months(x)},
 * {@code days(x)}, {@code hours(x)}, {@code bucket(N, x)} or {@code truncate(W, x)}. A column may
 * be put in backquotes; {@code _cdc.ts} and the like name a field of {@code _cdc}.
 *
 * @param width the N of a bucket or W of a truncation; 0 for the others
 */
record PartitionTerm(Transform transform, String column, int width) {
  /** Iceberg's transforms that a user may write. */
  enum Transform {
    IDENTITY,
    YEAR,
    MONTH,
    DAY,
    HOUR,
    BUCKET,
    TRUNCATE;

    private boolean takesWidth() {
      return this == BUCKET || this == TRUNCATE;
    }
  }

  private static final Pattern CALL = Pattern.compile("\\s*(\\w+)\\s*\\((.*)\\)\\s*");
  private static final Pattern WIDTH_AND_COLUMN = Pattern.compile("\\s*(\\d{1,9})\\s*,(.*)");

  /**
   * Reads one expression.
   *
   * @throws OncebergException {@link ErrorCode#INVALID_SETTING} when it cannot be read
   */
  static PartitionTerm parse(String text) {
    Matcher call = CALL.matcher(text);
    if (!call.matches()) {
      if (!text.contains("`") && (text.contains("(") || text.contains(")"))) {
        throw invalid(text, "its brackets do not match");
      }
      return new PartitionTerm(Transform.IDENTITY, column(text, text), 0);
    }
    Transform transform = transform(call.group(1), text);
    String arguments = call.group(2);
    if (!transform.takesWidth()) {
      return new PartitionTerm(transform, column(arguments, text), 0);
    }
    Matcher pair = WIDTH_AND_COLUMN.matcher(arguments);
    if (!pair.matches() || Integer.parseInt(pair.group(1)) == 0) {
      throw invalid(text, "write it as %s(16, column)".formatted(call.group(1)));
    }
    return new PartitionTerm(
        transform, column(pair.group(2), text), Integer.parseInt(pair.group(1)));
  }

  private static Transform transform(String name, String text) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "identity" -> Transform.IDENTITY;
      case "year", "years" -> Transform.YEAR;
      case "month", "months" -> Transform.MONTH;
      case "day", "days", "date" -> Transform.DAY;
      case "hour", "hours", "date_hour" -> Transform.HOUR;
      case "bucket" -> Transform.BUCKET;
      case "truncate" -> Transform.TRUNCATE;
      default ->
          throw invalid(text, "known are identity, years, months, days, hours, bucket, truncate");
    };
  }

  private static String column(String text, String whole) {
    String name = text.strip();
    if (name.length() > 2 && name.startsWith("`") && name.endsWith("`")) {
      name = name.substring(1, name.length() - 1);
    }
    if (name.isEmpty()) {
      throw invalid(whole, "it names no column");
    }
    return name;
  }

  private static OncebergException invalid(String text, String why) {
    return new OncebergException(
        ErrorCode.INVALID_SETTING, "partition expression '%s': %s".formatted(text, why));
  }

  /** Whether all columns are there already, so that a spec can be made. */
  static boolean resolvable(List<PartitionTerm> terms, Schema schema) {
    return terms.stream().allMatch(t -> schema.findField(t.column) != null);
  }

  /** The spec of a new table. */
  static PartitionSpec spec(List<PartitionTerm> terms, Schema schema) {
    PartitionSpec.Builder builder = PartitionSpec.builderFor(schema);
    for (PartitionTerm term : terms) {
      term.checked(schema, () -> term.addTo(builder, term.fieldName(schema)));
    }
    return builder.build();
  }

  /** Adds the terms to the spec of an existing table that has none. */
  static void addAll(List<PartitionTerm> terms, Table table, UpdatePartitionSpec update) {
    for (PartitionTerm term : terms) {
      term.checked(table.schema(), () -> term.addTo(update, term.fieldName(table.schema())));
    }
    update.commit();
  }

  private void checked(Schema schema, Runnable add) {
    try {
      add.run();
    } catch (ValidationException | IllegalArgumentException e) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "cannot partition by %s of column '%s' (%s): %s"
              .formatted(transform, column, schema.findType(column), e.getMessage()),
          e);
    }
  }

  private void addTo(PartitionSpec.Builder builder, String name) {
    switch (transform) {
      case IDENTITY -> builder.identity(column, name);
      case YEAR -> builder.year(column, name);
      case MONTH -> builder.month(column, name);
      case DAY -> builder.day(column, name);
      case HOUR -> builder.hour(column, name);
      case BUCKET -> builder.bucket(column, width, name);
      case TRUNCATE -> builder.truncate(column, width, name);
    }
  }

  private void addTo(UpdatePartitionSpec update, String name) {
    switch (transform) {
      case IDENTITY -> update.addField(name, Expressions.ref(column));
      case YEAR -> update.addField(name, Expressions.year(column));
      case MONTH -> update.addField(name, Expressions.month(column));
      case DAY -> update.addField(name, Expressions.day(column));
      case HOUR -> update.addField(name, Expressions.hour(column));
      case BUCKET -> update.addField(name, Expressions.bucket(column, width));
      case TRUNCATE -> update.addField(name, Expressions.truncate(column, width));
    }
  }

  /** Spark's names ({@code ts_day}), without dots, and never that of another column. */
  private String fieldName(Schema schema) {
    if (transform == Transform.IDENTITY && !column.startsWith(TableColumns.CDC + ".")) {
      return column;
    }
    String name = column.replace('.', '_') + "_" + transform.name().toLowerCase(Locale.ROOT);
    while (schema.findField(name) != null) {
      name += "_part";
    }
    return name;
  }
}
