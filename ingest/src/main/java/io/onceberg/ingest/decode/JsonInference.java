package io.onceberg.ingest.decode;

import com.fasterxml.jackson.databind.JsonNode;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * Columns of JSON without a schema. The table says what its columns hold; for the others the values
 * do: a whole number is a long (a decimal beyond 64 bits), a fraction a double, and a nested value
 * the text of its JSON. A null says nothing.
 */
final class JsonInference {
  private static final int UNSIGNED_64_DIGITS = 20;

  private JsonInference() {}

  /** The plan that reads the table's columns by name. */
  static RowPlan plan(Types.StructType table) {
    List<RowPlan.Planned> planned = new ArrayList<>();
    for (int i = 0; i < table.fields().size(); i++) {
      Types.NestedField column = table.fields().get(i);
      planned.add(new RowPlan.Planned(column.name(), InferredCell.of(column.type()), i, false));
    }
    return new RowPlan(planned);
  }

  /**
   * How one object's fields fit the table.
   *
   * @param rows whether it is a row; else a key, no part of which may be left out
   */
  static SourceFit fit(
      JsonNode object,
      Types.@Nullable StructType table,
      NewColumns policy,
      Set<String> left,
      boolean rows) {
    Types.StructType known = table == null ? Types.StructType.of() : table;
    boolean first = known.fields().isEmpty();
    List<Types.NestedField> columns = new ArrayList<>();
    boolean evolves = false;
    RefusedValue refusal = null;
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      String name = field.getKey();
      Type column = known.fieldType(name);
      Type brought = column == null ? type(field.getValue()) : column;
      if (brought == null || left.contains(name)) {
        continue;
      }
      columns.add(Types.NestedField.optional(columns.size() + 1, name, brought));
      if (column == null) {
        if (rows && (name.equals("_cdc") || name.equals("loaded_date"))) {
          refusal = SourceFit.reserved(name);
        } else if (!first && policy == NewColumns.FAIL) {
          refusal = SourceFit.forbidden(name, null, brought);
        } else {
          evolves |= first || !rows || policy == NewColumns.APPEND;
        }
      }
    }
    return new SourceFit(Types.StructType.of(columns), plan(known), evolves, refusal);
  }

  /** Null for a null. */
  static @Nullable Type type(JsonNode value) {
    return switch (value.getNodeType()) {
      case NULL, MISSING -> null;
      case BOOLEAN -> Types.BooleanType.get();
      case NUMBER -> number(value);
      default -> Types.StringType.get();
    };
  }

  private static Type number(JsonNode value) {
    if (!value.isIntegralNumber()) {
      return Types.DoubleType.get();
    }
    if (value.canConvertToLong()) {
      return Types.LongType.get();
    }
    int digits = value.bigIntegerValue().abs().toString().length();
    return Types.DecimalType.of(
        digits <= UNSIGNED_64_DIGITS ? UNSIGNED_64_DIGITS : ColumnTypes.MAX_DIGITS, 0);
  }
}
