package io.onceberg.ingest.decode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeArrayWriter;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeWriter;
import org.apache.spark.unsafe.Platform;
import org.jspecify.annotations.Nullable;

/** Cells of lists, maps and structs, which write Spark's nested unsafe forms. */
final class NestedCells {
  private NestedCells() {}

  /** A cell for a nested column; without a schema the parts are inferred, too. */
  static Cell of(@Nullable Schema source, Type column) {
    if (column instanceof Types.ListType list) {
      Schema element = source == null ? null : source.valueSchema();
      return new ListCell(list, part(element, list.elementType()));
    }
    if (column instanceof Types.MapType map) {
      Cell key = part(source == null ? null : source.keySchema(), map.keyType());
      Cell value = part(source == null ? null : source.valueSchema(), map.valueType());
      return new MapCell(map, key, value);
    }
    if (column instanceof Types.StructType struct) {
      return struct(source, struct);
    }
    return new Cells.IncompatibleCell(Slots.of(column), String.valueOf(source));
  }

  private static Cell part(@Nullable Schema source, Type column) {
    return source == null ? InferredCell.of(column) : Cells.of(source, column);
  }

  private static Cell struct(@Nullable Schema source, Types.StructType column) {
    List<Cell> cells = new ArrayList<>();
    for (Types.NestedField field : column.fields()) {
      cells.add(part(source == null ? null : source.field(field.name()).schema(), field.type()));
    }
    return new StructCell(column, cells);
  }

  /** The value of one field of a struct in any of its Java forms. */
  static @Nullable Object field(Object struct, String name) {
    if (struct instanceof Struct connect) {
      return connect.schema().field(name) == null ? null : connect.getWithoutDefault(name);
    }
    if (struct instanceof ObjectNode node) {
      return node.get(name);
    }
    if (struct instanceof Map<?, ?> map) {
      return map.get(name);
    }
    throw RefusedValue.incompatible("a " + struct.getClass().getSimpleName(), "a struct");
  }

  private static final class ListCell extends Cell {
    private final Cell element;
    private final int elementBytes;

    ListCell(Types.ListType type, Cell element) {
      super(Slots.of(type));
      this.element = element;
      this.elementBytes = width(type.elementType());
    }

    @Override
    void ofNested(UnsafeWriter out, int at, Object value) {
      int start = out.cursor();
      writeArray(out, elements(value), element, elementBytes);
      out.setOffsetAndSizeFromPreviousCursor(at, start);
    }

    private List<?> elements(Object value) {
      if (value instanceof List<?> list) {
        return list;
      }
      if (value instanceof ArrayNode array) {
        return list(array);
      }
      throw unexpected("a " + value.getClass().getSimpleName());
    }
  }

  private static final class MapCell extends Cell {
    private final Cell key;
    private final Cell value;
    private final int keyBytes;
    private final int valueBytes;

    MapCell(Types.MapType type, Cell key, Cell value) {
      super(Slots.of(type));
      this.key = key;
      this.value = value;
      this.keyBytes = width(type.keyType());
      this.valueBytes = width(type.valueType());
    }

    @Override
    void ofNested(UnsafeWriter out, int at, Object written) {
      Map<Object, Object> entries = entries(written);
      int start = out.cursor();
      out.grow(Long.BYTES);
      out.increaseCursor(Long.BYTES);
      writeArray(out, entries.keySet(), key, keyBytes);
      Platform.putLong(out.getBuffer(), start, out.cursor() - start - Long.BYTES);
      writeArray(out, entries.values(), value, valueBytes);
      out.setOffsetAndSizeFromPreviousCursor(at, start);
    }

    /** Entries in the order of their keys, so that one map has one form. */
    private Map<Object, Object> entries(Object written) {
      Map<Object, Object> sorted = new TreeMap<>();
      if (written instanceof Map<?, ?> map) {
        map.forEach((k, v) -> put(sorted, k, v));
      } else if (written instanceof ObjectNode node) {
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
          sorted.put(entry.getKey(), entry.getValue());
        }
      } else if (written instanceof ArrayNode pairs) {
        // the JSON form of maps whose keys are no strings: [[key, value], ...]
        for (JsonNode pair : pairs) {
          put(sorted, jsonKey(pair.get(0)), pair.get(1));
        }
      } else {
        throw unexpected("a " + written.getClass().getSimpleName());
      }
      return sorted;
    }

    @SuppressWarnings("NullAway") // a map's values may be null
    private void put(Map<Object, Object> sorted, @Nullable Object k, @Nullable Object v) {
      if (k == null) {
        throw unexpected("a null key");
      }
      Object comparable = k instanceof CharSequence ? k.toString() : k;
      try {
        sorted.put(comparable, v);
      } catch (ClassCastException e) {
        throw unexpected("a key of type " + k.getClass().getSimpleName());
      }
    }

    private @Nullable Object jsonKey(@Nullable JsonNode node) {
      if (node == null || node.isNull()) {
        return null;
      }
      if (node.isIntegralNumber() && node.canConvertToLong()) {
        return node.longValue();
      }
      return node.isNumber() ? (Object) node.doubleValue() : node.asText();
    }
  }

  private static final class StructCell extends Cell {
    private final String[] names;
    private final Cell[] cells;

    StructCell(Types.StructType type, List<Cell> cells) {
      super(Slots.of(type));
      this.names = type.fields().stream().map(Types.NestedField::name).toArray(String[]::new);
      this.cells = cells.toArray(Cell[]::new);
    }

    @Override
    void ofNested(UnsafeWriter out, int at, Object value) {
      int start = out.cursor();
      UnsafeRowWriter row = new UnsafeRowWriter(out, cells.length);
      row.resetRowWriter();
      for (int i = 0; i < cells.length; i++) {
        cells[i].of(row, i, field(value, names[i]));
      }
      out.setOffsetAndSizeFromPreviousCursor(at, start);
    }
  }

  /** Debezium's struct of scale and unscaled bytes. */
  static final class VariableDecimalCell extends Cell {
    VariableDecimalCell(Slot slot) {
      super(slot);
    }

    @Override
    void ofDecimal(UnsafeWriter out, int at, BigDecimal value) {
      slot.putDecimal(out, at, value);
    }

    @Override
    void ofNested(UnsafeWriter out, int at, Object value) {
      byte[] unscaled = bytes(field(value, "value"));
      if (unscaled.length == 0) {
        throw RefusedValue.undecodable("a decimal of no bytes");
      }
      slot.putDecimal(
          out, at, new BigDecimal(new BigInteger(unscaled), scale(field(value, "scale"))));
    }

    private int scale(@Nullable Object scale) {
      if (scale instanceof Number number) {
        return number.intValue();
      }
      if (scale instanceof JsonNode node && node.isInt()) {
        return node.intValue();
      }
      throw unexpected("a decimal with scale " + scale);
    }

    private byte[] bytes(@Nullable Object value) {
      if (value instanceof byte[] bytes) {
        return bytes;
      }
      if (value instanceof ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
      }
      if (value instanceof JsonNode node && node.isTextual()) {
        byte[] text = node.textValue().getBytes(StandardCharsets.UTF_8);
        return base64(text, 0, text.length);
      }
      throw unexpected("a decimal with value " + value);
    }
  }

  private static void writeArray(
      UnsafeWriter out, Collection<?> values, Cell element, int elementBytes) {
    UnsafeArrayWriter array = new UnsafeArrayWriter(out, elementBytes);
    array.initialize(values.size());
    int i = 0;
    for (Object value : values) {
      element.of(array, i++, value);
    }
  }

  private static List<Object> list(ArrayNode array) {
    List<Object> elements = new ArrayList<>(array.size());
    array.forEach(elements::add);
    return elements;
  }

  private static int width(Type type) {
    Set<Type.TypeID> four = Set.of(Type.TypeID.INTEGER, Type.TypeID.DATE, Type.TypeID.FLOAT);
    if (type.typeId() == Type.TypeID.BOOLEAN) {
      return 1;
    }
    return four.contains(type.typeId()) ? Integer.BYTES : Long.BYTES;
  }
}
