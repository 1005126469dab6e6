package io.onceberg.ingest.decode;

import io.onceberg.error.ErrorCode;
import io.onceberg.keystore.ColumnFit;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.kafka.connect.data.Field;
import org.jspecify.annotations.Nullable;

/**
 * How the fields of one source schema relate to the columns that the table has: the plan by which
 * its rows are read, or that the table must change first, or that policy forbids the change.
 *
 * @param source the columns the source brings
 * @param plan by name, never by position
 * @param evolves the table lacks a column or has one too narrow
 * @param refusal set when policy forbids that
 */
record SourceFit(
    Types.StructType source, RowPlan plan, boolean evolves, @Nullable RefusedValue refusal) {
  private static final Set<String> OURS = Set.of("_cdc", "loaded_date");

  boolean ready() {
    return !evolves && refusal == null;
  }

  /** Fits the columns of a rows table. */
  static SourceFit rows(List<Field> fields, Types.StructType table, NewColumns policy) {
    // the first sight of a source is no change
    return fit(fields, table, table.fields().isEmpty() ? NewColumns.APPEND : policy, true);
  }

  /** Fits the record key, no part of which may be left out. */
  static SourceFit key(List<Field> fields, Types.@Nullable StructType table, NewColumns policy) {
    boolean fails = table != null && policy == NewColumns.FAIL;
    return fit(
        fields,
        table == null ? Types.StructType.of() : table,
        fails ? NewColumns.FAIL : NewColumns.APPEND,
        false);
  }

  private static SourceFit fit(
      List<Field> fields, Types.StructType table, NewColumns policy, boolean rows) {
    Types.StructType source = ColumnTypes.columns(fields);
    List<RowPlan.Planned> planned = new ArrayList<>(fields.size());
    boolean evolves = false;
    RefusedValue refusal = null;
    for (int i = 0; i < fields.size(); i++) {
      Field field = fields.get(i);
      int ordinal = ordinal(table, field.name());
      Type column = ordinal < 0 ? null : table.fields().get(ordinal).type();
      Type brought = source.fields().get(i).type();
      ColumnFit fit = ColumnFit.of(column, brought);
      if (rows && OURS.contains(field.name())) {
        refusal = reserved(field.name());
      } else if (changes(fit) && policy == NewColumns.FAIL) {
        refusal = forbidden(field.name(), column, brought);
      } else if (changes(fit) && policy == NewColumns.APPEND) {
        evolves = true;
      }
      boolean required = !field.schema().isOptional();
      planned.add(new RowPlan.Planned(field.name(), cell(field, column, fit), ordinal, required));
    }
    return new SourceFit(source, new RowPlan(planned), evolves, refusal);
  }

  private static boolean changes(ColumnFit fit) {
    return fit == ColumnFit.ADD || fit == ColumnFit.PROMOTE;
  }

  private static @Nullable Cell cell(Field field, @Nullable Type column, ColumnFit fit) {
    if (column == null) {
      return null;
    }
    return fit == ColumnFit.INCOMPATIBLE
        ? new Cells.IncompatibleCell(Slots.of(column), ColumnTypes.of(field.schema()).toString())
        : Cells.of(field.schema(), column);
  }

  static int ordinal(Types.StructType table, String name) {
    List<Types.NestedField> columns = table.fields();
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  static RefusedValue reserved(String name) {
    return new RefusedValue(
        ErrorCode.SCHEMA_INCOMPATIBLE,
        "column %s: the name is taken by the table's own column; rename it with a transform"
            .formatted(name));
  }

  static RefusedValue forbidden(String name, @Nullable Type column, Object brought) {
    String change =
        column == null
            ? "the table has no such column"
            : "the table has it as %s".formatted(column);
    return new RefusedValue(
        ErrorCode.SCHEMA_CHANGE_REFUSED,
        "column %s (%s): %s and new-columns is fail".formatted(name, brought, change));
  }
}
