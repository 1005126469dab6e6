package io.onceberg.keystore;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/**
 * Makes a keys table anew that is gone while the rows of its target are there, empty and with the
 * columns that they tell. What a changelog's key is made of, the rows say by name; the types are
 * those of the columns of these names.
 */
final class LostKeysTable {
  private static final JsonFactory JSON = new JsonFactory();

  private LostKeysTable() {}

  /** Makes the table where it is the only one of its target that is gone. */
  static void restore(TableSchemas schemas, TargetSettings settings) {
    if (!schemas.lacksKeysOnly()) {
      return;
    }
    TargetTables tables = schemas.create();
    Types.StructType key = settings.kind() == TargetKind.EVENTS ? null : key(settings, tables);
    schemas.evolve(tables, List.of(new SourceSchema(Types.StructType.of(), key)));
  }

  /** The columns that keys of rows have; null when none has a key. */
  private static Types.@Nullable StructType key(TargetSettings settings, TargetTables tables) {
    Set<String> names = new LinkedHashSet<>();
    try (CloseableIterable<StoredRow> rows =
        StoredRowScan.of(
            new TableImage(settings, tables),
            tables.rows(),
            Expressions.notNull(TableColumns.CDC + "." + TableColumns.KEY))) {
      for (StoredRow row : rows) {
        String key = row.key();
        if (key != null) {
          addNames(key, names);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the rows of " + settings.name(), e);
    }
    List<NestedField> fields = new ArrayList<>();
    for (String name : names) {
      fields.add(field(tables.rows(), name, fields.size() + 1));
    }
    return fields.isEmpty() ? null : Types.StructType.of(fields);
  }

  private static NestedField field(Table rows, String name, int id) {
    NestedField column = rows.schema().asStruct().field(name);
    if (column == null) {
      throw new OncebergException(
          ErrorCode.IDENTITY_NOT_STORED,
          "keys of table %s have a column '%s' that is no column of its rows, so its type in the keys table that is gone cannot be told"
              .formatted(rows.name(), name));
    }
    return NestedField.optional(id, name, column.type());
  }

  private static void addNames(String key, Set<String> names) throws IOException {
    try (JsonParser parser = JSON.createParser(key)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        names.add(parser.currentName());
        parser.nextToken();
        parser.skipChildren();
      }
    }
  }
}
