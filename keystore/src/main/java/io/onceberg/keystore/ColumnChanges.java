package io.onceberg.keystore;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/**
 * What has to happen to a struct of a table so that it can hold a source's columns.
 *
 * @param added columns that the struct lacks
 * @param widened columns that get a wider type
 */
record ColumnChanges(List<NestedField> added, List<NestedField> widened) {
  ColumnChanges {
    added = List.copyOf(added);
    widened = List.copyOf(widened);
  }

  /** Compares by name; types that do not fit at all change nothing here. */
  static ColumnChanges between(Types.StructType table, Types.StructType source) {
    List<NestedField> added = new ArrayList<>();
    List<NestedField> widened = new ArrayList<>();
    for (NestedField wanted : source.fields()) {
      NestedField column = table.field(wanted.name());
      switch (ColumnFit.of(column == null ? null : column.type(), wanted.type())) {
        case ADD -> added.add(wanted);
        case PROMOTE -> widened.add(wanted);
        case SAME, CONVERT, INCOMPATIBLE -> {}
      }
    }
    return new ColumnChanges(added, widened);
  }

  /**
   * One struct with the columns of all, in order of first appearance. Where types differ, the one
   * that holds both; where none does, the first.
   */
  static Types.StructType union(Collection<Types.StructType> structs) {
    Map<String, Type> columns = new LinkedHashMap<>();
    for (Types.StructType struct : structs) {
      for (NestedField field : struct.fields()) {
        columns.merge(field.name(), field.type(), ColumnChanges::wider);
      }
    }
    return struct(columns);
  }

  /** The columns of all schemas. */
  static Types.StructType columns(Collection<SourceSchema> schemas) {
    return union(schemas.stream().map(SourceSchema::columns).toList());
  }

  /** The key fields of all schemas; no field when no schema has a key. */
  static Types.StructType key(Collection<SourceSchema> schemas) {
    List<Types.StructType> keys = new ArrayList<>();
    for (SourceSchema schema : schemas) {
      if (schema.key() != null) {
        keys.add(schema.key());
      }
    }
    return union(keys);
  }

  private static Type wider(Type first, Type second) {
    return ColumnFit.of(first, second) == ColumnFit.PROMOTE ? second : first;
  }

  private static Types.StructType struct(Map<String, Type> columns) {
    List<NestedField> fields = new ArrayList<>(columns.size());
    columns.forEach(
        (name, type) -> fields.add(NestedField.optional(fields.size() + 1, name, type)));
    return Types.StructType.of(fields);
  }

  boolean isEmpty() {
    return added.isEmpty() && widened.isEmpty();
  }

  ColumnChanges addingOnly(Predicate<NestedField> wanted) {
    return new ColumnChanges(added.stream().filter(wanted).toList(), widened);
  }

  /** What the struct will be; only the types and names of the result have a meaning. */
  Types.StructType appliedTo(Types.StructType table) {
    Map<String, Type> columns = new LinkedHashMap<>();
    table.fields().forEach(f -> columns.put(f.name(), f.type()));
    widened.forEach(f -> columns.put(f.name(), f.type()));
    added.forEach(f -> columns.put(f.name(), f.type()));
    return struct(columns);
  }

  /** Makes the changes at the top level, new columns right before the one named. */
  void applyBefore(String anchor, UpdateSchema update) {
    for (NestedField field : widened) {
      update.updateColumn(field.name(), field.type().asPrimitiveType());
    }
    for (NestedField field : added) {
      update.addColumn(null, field.name(), field.type()).moveBefore(field.name(), anchor);
    }
  }

  /** Makes the changes inside a struct column. */
  void applyWithin(String parent, UpdateSchema update) {
    for (NestedField field : widened) {
      update.updateColumn(parent + "." + field.name(), field.type().asPrimitiveType());
    }
    for (NestedField field : added) {
      update.addColumn(parent, field.name(), field.type());
    }
  }
}
