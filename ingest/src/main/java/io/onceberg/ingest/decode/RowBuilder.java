package io.onceberg.ingest.decode;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.jspecify.annotations.Nullable;

/**
 * Builds one row after another in one buffer. Columns that get no value are null; a column that
 * gets several keeps the last, as a JSON object does. A refused value does not end the row, so that
 * all encodings report the same one: that of the first column in table order.
 */
final class RowBuilder {
  private static final int INITIAL_BYTES = 512;

  private final UnsafeRowWriter writer;
  private final Placeholders placeholders;
  private final int width;
  private final long[] filled;
  private List<String> unavailable = new ArrayList<>(0);
  private @Nullable TreeMap<Integer, RefusedValue> refused;

  RowBuilder(int width, Placeholders placeholders) {
    this.width = width;
    this.placeholders = placeholders;
    this.writer = new UnsafeRowWriter(width, INITIAL_BYTES);
    this.filled = new long[(width + Long.SIZE - 1) / Long.SIZE];
  }

  void start() {
    writer.reset();
    writer.zeroOutNullBytes();
    Arrays.fill(filled, 0);
    if (!unavailable.isEmpty()) {
      unavailable = new ArrayList<>(0);
    }
    refused = null;
  }

  /** The row, valid until the next {@link #start}. */
  UnsafeRow finish() {
    for (int word = 0; word < filled.length; word++) {
      int columns = Math.min(Long.SIZE, width - word * Long.SIZE);
      long all = columns == Long.SIZE ? -1L : (1L << columns) - 1;
      for (long empty = all & ~filled[word]; empty != 0; empty &= empty - 1) {
        writer.setNullAt(word * Long.SIZE + Long.numberOfTrailingZeros(empty));
      }
    }
    return writer.getRow();
  }

  /**
   * Makes sure that the row has every field that its source's schema requires.
   *
   * @throws RefusedValue when one is absent, so that the record is no row of that schema
   */
  void requireAll(RowPlan plan) {
    for (RowPlan.Planned field : plan.required()) {
      int ordinal = field.ordinal();
      boolean there = (filled[ordinal / Long.SIZE] & 1L << ordinal) != 0;
      boolean known = there || unavailable.contains(field.name());
      if (!known && (refused == null || !refused.containsKey(ordinal))) {
        throw RefusedValue.undecodable(
            "column %s: the schema requires it and the record has none".formatted(field.name()));
      }
    }
  }

  /** Names of columns whose value was not sent. */
  List<String> unavailable() {
    return unavailable;
  }

  /** The refused value of the lowest column; null when none was refused. */
  @Nullable RefusedValue refusal() {
    return refused == null || refused.isEmpty() ? null : refused.firstEntry().getValue();
  }

  void ofNull(RowPlan.Planned field) {
    empty(field);
  }

  void ofBoolean(RowPlan.Planned field, boolean value) {
    Cell cell = begin(field);
    if (cell != null) {
      try {
        cell.ofBoolean(writer, field.ordinal(), value);
      } catch (RefusedValue e) {
        refuse(field, e);
      }
    }
  }

  void ofInteger(RowPlan.Planned field, long value) {
    Cell cell = begin(field);
    if (cell != null) {
      try {
        cell.ofInteger(writer, field.ordinal(), value);
      } catch (RefusedValue e) {
        refuse(field, e);
      }
    }
  }

  void ofDouble(RowPlan.Planned field, double value) {
    Cell cell = begin(field);
    if (cell != null) {
      try {
        cell.ofDouble(writer, field.ordinal(), value);
      } catch (RefusedValue e) {
        refuse(field, e);
      }
    }
  }

  void ofDecimal(RowPlan.Planned field, BigDecimal value) {
    Cell cell = begin(field);
    if (cell != null) {
      try {
        cell.ofDecimal(writer, field.ordinal(), value);
      } catch (RefusedValue e) {
        refuse(field, e);
      }
    }
  }

  /** UTF-8 text. */
  void ofText(RowPlan.Planned field, byte[] text, int offset, int length) {
    if (placeholders.isText(text, offset, length)) {
      notSent(field);
      return;
    }
    Cell cell = begin(field);
    if (cell != null) {
      try {
        cell.ofText(writer, field.ordinal(), text, offset, length);
      } catch (RefusedValue e) {
        refuse(field, e);
      }
    }
  }

  /** Text in JSON, which stands for bytes where the cell says so. */
  void ofJsonText(RowPlan.Planned field, byte[] text, int offset, int length) {
    Cell cell = field.cell();
    if (cell == null || !cell.base64InJson()) {
      ofText(field, text, offset, length);
      return;
    }
    try {
      byte[] bytes = Cell.base64(text, offset, length);
      ofBytes(field, bytes, 0, bytes.length);
    } catch (RefusedValue e) {
      empty(field);
      refuse(field, e);
    }
  }

  void ofBytes(RowPlan.Planned field, byte[] bytes, int offset, int length) {
    if (placeholders.isBytes(bytes, offset, length)) {
      notSent(field);
      return;
    }
    Cell cell = begin(field);
    if (cell != null) {
      try {
        cell.ofBytes(writer, field.ordinal(), bytes, offset, length);
      } catch (RefusedValue e) {
        refuse(field, e);
      }
    }
  }

  void ofNested(RowPlan.Planned field, Object value) {
    if (placeholders.isNested(value)) {
      notSent(field);
      return;
    }
    other(field, value);
  }

  /** Any Java form of a value. */
  void of(RowPlan.Planned field, @Nullable Object value) {
    if (value == null) {
      empty(field);
    } else if (value instanceof String text) {
      byte[] utf8 = JsonTokens.utf8(text);
      ofText(field, utf8, 0, utf8.length);
    } else if (value instanceof byte[] bytes) {
      ofBytes(field, bytes, 0, bytes.length);
    } else if (value instanceof ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      ofBytes(field, bytes, 0, bytes.length);
    } else if (value instanceof List || value instanceof Map) {
      ofNested(field, value);
    } else {
      other(field, value);
    }
  }

  private void other(RowPlan.Planned field, Object value) {
    Cell cell = begin(field);
    if (cell != null) {
      try {
        cell.of(writer, field.ordinal(), value);
      } catch (RefusedValue e) {
        refuse(field, e);
      }
    }
  }

  /** Marks the column filled; null when the field is left out. */
  private @Nullable Cell begin(RowPlan.Planned field) {
    Cell cell = field.cell();
    if (cell == null) {
      return null;
    }
    int ordinal = field.ordinal();
    long bit = 1L << ordinal;
    if ((filled[ordinal / Long.SIZE] & bit) != 0 || refused != null || !unavailable.isEmpty()) {
      forget(field);
    }
    filled[ordinal / Long.SIZE] |= bit;
    return cell;
  }

  private void empty(RowPlan.Planned field) {
    if (field.cell() == null) {
      return;
    }
    int ordinal = field.ordinal();
    filled[ordinal / Long.SIZE] &= ~(1L << ordinal);
    forget(field);
  }

  private void forget(RowPlan.Planned field) {
    if (refused != null) {
      refused.remove(field.ordinal());
    }
    if (!unavailable.isEmpty()) {
      unavailable.remove(field.name());
    }
  }

  private void notSent(RowPlan.Planned field) {
    empty(field);
    if (field.cell() != null) {
      unavailable.add(field.name());
    }
  }

  private void refuse(RowPlan.Planned field, RefusedValue e) {
    filled[field.ordinal() / Long.SIZE] &= ~(1L << field.ordinal());
    if (refused == null) {
      refused = new TreeMap<>();
    }
    refused.put(
        field.ordinal(),
        new RefusedValue(e.code(), "column %s: %s".formatted(field.name(), e.detail())));
  }
}
