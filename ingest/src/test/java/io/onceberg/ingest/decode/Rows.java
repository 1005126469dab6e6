package io.onceberg.ingest.decode;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.jspecify.annotations.Nullable;

/** Reads rows back into plain values. */
final class Rows {
  private Rows() {}

  static Map<String, @Nullable Object> values(InternalRow row, Types.StructType type) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (int i = 0; i < type.fields().size(); i++) {
      Types.NestedField field = type.fields().get(i);
      values.put(field.name(), value(row, i, field.type()));
    }
    return values;
  }

  private static @Nullable Object value(SpecializedGetters row, int at, Type type) {
    if (row.isNullAt(at)) {
      return null;
    }
    Object value = row.get(at, SparkSchemaUtil.convert(type));
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (type instanceof Types.StructType struct) {
      return values((InternalRow) value, struct);
    }
    if (type instanceof Types.ListType list) {
      return list((ArrayData) value, list.elementType());
    }
    if (type instanceof Types.MapType map) {
      MapData data = (MapData) value;
      List<@Nullable Object> keys = list(data.keyArray(), map.keyType());
      List<@Nullable Object> values = list(data.valueArray(), map.valueType());
      Map<@Nullable Object, @Nullable Object> entries = new LinkedHashMap<>();
      for (int i = 0; i < keys.size(); i++) {
        entries.put(keys.get(i), values.get(i));
      }
      return entries;
    }
    return value instanceof Number || value instanceof Boolean ? value : value.toString();
  }

  private static List<@Nullable Object> list(ArrayData data, Type element) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < data.numElements(); i++) {
      values.add(value(data, i, element));
    }
    return values;
  }

  /** A struct's values: names and values in turn. */
  static Map<String, @Nullable Object> of(@Nullable Object... pairs) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      values.put(String.valueOf(pairs[i]), pairs[i + 1]);
    }
    return values;
  }
}
