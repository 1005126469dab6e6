package io.onceberg.keystore.keyfile;

import io.onceberg.keystore.keyfile.FileColumns.Column;
import io.onceberg.keystore.keyfile.FileColumns.Leaf;
import io.onceberg.keystore.keyfile.FileColumns.Struct;
import io.onceberg.keystore.keyfile.FileIndex.RowGroup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/** Reads chosen rows of a row group, column by column. */
final class RowReading {
  /** The most rows to be read at once. */
  static final int MOST_ROWS = 1 << 16;

  private final SeekableInputStream stream;
  private final FileColumns columns;
  private final RowGroup group;
  private final Decompression decompression;
  private final int[] rows;
  private final @Nullable LeafPages[] leaves;
  private int pagesRead;

  /** Chooses rows {@code from} until {@code until} of the list. */
  RowReading(
      SeekableInputStream stream,
      FileColumns columns,
      RowGroup group,
      Decompression decompression,
      int[] rows,
      int from,
      int until) {
    this.stream = stream;
    this.columns = columns;
    this.group = group;
    this.decompression = decompression;
    this.rows = Arrays.copyOfRange(rows, from, until);
    this.leaves = new LeafPages[columns.leaves.size()];
  }

  /** Takes a leaf that was read before: pages that have all of the rows. */
  void known(int leaf, LeafPages pages) {
    leaves[leaf] = pages;
  }

  int pagesRead() {
    return pagesRead;
  }

  ColumnarBatch read(StructType type) throws IOException {
    OnHeapColumnVector[] vectors = OnHeapColumnVector.allocateColumns(rows.length, type);
    for (int i = 0; i < vectors.length; i++) {
      fill(columns.columns.get(i), vectors[i]);
    }
    return new ColumnarBatch((ColumnVector[]) vectors, rows.length);
  }

  private void fill(Column column, WritableColumnVector vector) throws IOException {
    if (column instanceof Leaf leaf) {
      if (leaf.leaf() < 0) {
        vector.putNulls(0, rows.length);
      } else {
        fill(leaf, values(leaf.leaf()), vector);
      }
    } else if (column instanceof Struct struct) {
      fill(struct, vector);
    }
  }

  private void fill(Struct struct, WritableColumnVector vector) throws IOException {
    if (struct.witness() < 0) {
      vector.putNulls(0, rows.length);
      return;
    }
    LeafPages witness = values(struct.witness());
    int at = 0;
    for (int i = 0; i < rows.length; i++) {
      while (rows[i] >= witness.end(at)) {
        at++;
      }
      if (!witness.pages()[at].reaches(rows[i] - witness.firstRows()[at], struct.level())) {
        vector.putNull(i);
      }
    }
    List<Column> inner = struct.columns();
    for (int i = 0; i < inner.size(); i++) {
      fill(inner.get(i), vector.getChild(i));
    }
  }

  private void fill(Leaf leaf, LeafPages values, WritableColumnVector vector) {
    if (leaf.type().typeId() == Type.TypeID.STRING) {
      vector.arrayData().reserve(bytes(values));
    }
    int at = 0;
    for (int i = 0; i < rows.length; i++) {
      while (rows[i] >= values.end(at)) {
        at++;
      }
      PageValues page = values.pages()[at];
      int row = rows[i] - values.firstRows()[at];
      if (page.isNull(row)) {
        vector.putNull(i);
      } else {
        put(leaf.type(), page, row, vector, i);
      }
    }
  }

  /** How many bytes the values of the rows take, so that room for them is made once. */
  private int bytes(LeafPages values) {
    int bytes = 0;
    int at = 0;
    for (int row : rows) {
      while (row >= values.end(at)) {
        at++;
      }
      PageValues page = values.pages()[at];
      bytes += page.numeric() ? 0 : page.length(row - values.firstRows()[at]);
    }
    return bytes;
  }

  private static void put(
      Type type, PageValues page, int row, WritableColumnVector vector, int at) {
    switch (type.typeId()) {
      case LONG, TIMESTAMP -> vector.putLong(at, page.numbers()[row]);
      case INTEGER, DATE -> vector.putInt(at, (int) page.numbers()[row]);
      case BOOLEAN -> vector.putBoolean(at, page.numbers()[row] != 0);
      case FLOAT -> vector.putFloat(at, (float) Double.longBitsToDouble(page.numbers()[row]));
      case DOUBLE -> vector.putDouble(at, Double.longBitsToDouble(page.numbers()[row]));
      case UUID -> {
        byte[] text = uuid(page, row).toString().getBytes(StandardCharsets.US_ASCII);
        vector.putByteArray(at, text, 0, text.length);
      }
      case DECIMAL -> putDecimal((Types.DecimalType) type, page, row, vector, at);
      default -> vector.putByteArray(at, page.bytes(), page.start(row), page.length(row));
    }
  }

  private static UUID uuid(PageValues page, int row) {
    ByteBuffer bytes = ByteBuffer.wrap(page.bytes(), page.start(row), page.length(row));
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  /** Spark keeps a decimal as an int, a long or bytes, by the digits that its type allows. */
  private static void putDecimal(
      Types.DecimalType type, PageValues page, int row, WritableColumnVector vector, int at) {
    if (type.precision() > 18) {
      byte[] bytes =
          page.numeric()
              ? java.math.BigInteger.valueOf(page.numbers()[row]).toByteArray()
              : page.copy(row);
      vector.putByteArray(at, bytes, 0, bytes.length);
      return;
    }
    long unscaled =
        page.numeric()
            ? page.numbers()[row]
            : new java.math.BigInteger(page.copy(row)).longValueExact();
    if (type.precision() > 9) {
      vector.putLong(at, unscaled);
    } else {
      vector.putInt(at, (int) unscaled);
    }
  }

  private LeafPages values(int leaf) throws IOException {
    LeafPages known = leaves[leaf];
    if (known != null) {
      return known;
    }
    ChunkPages chunk =
        new ChunkPages(
            stream,
            columns.leaves.get(leaf),
            group.chunks().get(leaf),
            group.rows(),
            decompression);
    int[] wanted = chunk.having(rows);
    LeafPages values = chunk.read(wanted);
    pagesRead += wanted.length;
    leaves[leaf] = values;
    return values;
  }
}
