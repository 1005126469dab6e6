package io.onceberg.keystore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Makes equal identities equal bytes, whoever wrote their nested key.
 *
 * <p>A projection copies a nested row as it is. Its variable-length fields lie in the order in
 * which they were written, and a null decimal may or may not have its 16 bytes, so two equal keys
 * can differ in their bytes. Where the key's type allows that, its fields are taken out one by one.
 */
final class CanonicalIdentities {
  private final StructType type;
  private final boolean ambiguous;
  private final UnsafeProjection projection;

  CanonicalIdentities(StructType type) {
    this.type = type;
    this.ambiguous = Arrays.stream(type.fields()).anyMatch(f -> ambiguous(f.dataType()));
    this.projection = UnsafeProjection.create(type);
  }

  private static boolean ambiguous(DataType type) {
    if (!(type instanceof StructType struct)) {
      return false;
    }
    int variable = 0;
    for (StructField field : struct.fields()) {
      if (wideDecimal(field.dataType())) {
        return true;
      }
      variable += UnsafeRow.isFixedLength(field.dataType()) ? 0 : 1;
    }
    return variable > 1;
  }

  /** Decimals that do not fit a word have a place of their own in a row. */
  private static boolean wideDecimal(DataType type) {
    return type instanceof DecimalType decimal && decimal.precision() > 18;
  }

  List<UnsafeRow> of(List<UnsafeRow> identities) {
    if (!ambiguous) {
      return identities;
    }
    List<UnsafeRow> canonical = new ArrayList<>(identities.size());
    for (UnsafeRow identity : identities) {
      canonical.add(projection.apply(takenApart(identity, type)).copy());
    }
    return canonical;
  }

  int indexOf(String column) {
    return type.fieldIndex(column);
  }

  /** The bytes of a stored identity, valid until the next call. */
  UnsafeRow of(InternalRow stored) {
    return projection.apply(stored);
  }

  private static InternalRow takenApart(InternalRow row, StructType type) {
    @Nullable Object[] values = new Object[type.size()];
    for (int i = 0; i < values.length; i++) {
      DataType field = type.fields()[i].dataType();
      if (!row.isNullAt(i)) {
        values[i] =
            field instanceof StructType struct
                ? takenApart(row.getStruct(i, struct.size()), struct)
                : row.get(i, field);
      }
    }
    return new GenericInternalRow(values);
  }
}
