package io.onceberg.keystore;

import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/** How a source column's type relates to the table column that is to hold it. */
public enum ColumnFit {
  /** Same type. */
  SAME,
  /** The table's type is wider, or every value can be converted exactly or refused one by one. */
  CONVERT,
  /** The table has no such column yet. */
  ADD,
  /** The table's column can be promoted to the source's type (Iceberg schema evolution). */
  PROMOTE,
  /** No value of the source type may enter this column. */
  INCOMPATIBLE;

  /** Decides for one column. Struct, list and map types fit only when their parts do. */
  public static ColumnFit of(@Nullable Type column, Type source) {
    if (column == null) {
      return ADD;
    }
    if (column.equals(source) || sameIgnoringIds(column, source)) {
      return SAME;
    }
    if (!column.isPrimitiveType() || !source.isPrimitiveType()) {
      return INCOMPATIBLE;
    }
    if (TypeUtil.isPromotionAllowed(column, source.asPrimitiveType())) {
      return PROMOTE;
    }
    return TypeUtil.isPromotionAllowed(source, column.asPrimitiveType())
            || decimalHolds(column, source)
            || parsesText(column, source)
        ? CONVERT
        : INCOMPATIBLE;
  }

  /** Text is parsed strictly; a value that does not parse is refused by itself, never as null. */
  private static boolean parsesText(Type column, Type source) {
    return source.typeId() == Type.TypeID.STRING
        && switch (column.typeId()) {
          case TIMESTAMP, DATE, INTEGER, LONG, DECIMAL, UUID -> true;
          default -> false;
        };
  }

  /** A decimal column holds every integer and every decimal of a scale not above its own. */
  private static boolean decimalHolds(Type column, Type source) {
    if (!(column instanceof Types.DecimalType wide)) {
      return false;
    }
    if (source instanceof Types.DecimalType narrow) {
      return wide.scale() >= narrow.scale();
    }
    return source.typeId() == Type.TypeID.INTEGER || source.typeId() == Type.TypeID.LONG;
  }

  private static boolean sameIgnoringIds(Type left, Type right) {
    if (left instanceof Types.StructType a && right instanceof Types.StructType b) {
      if (a.fields().size() != b.fields().size()) {
        return false;
      }
      for (int i = 0; i < a.fields().size(); i++) {
        Types.NestedField mine = a.fields().get(i);
        Types.NestedField other = b.fields().get(i);
        if (!mine.name().equals(other.name()) || !sameIgnoringIds(mine.type(), other.type())) {
          return false;
        }
      }
      return true;
    }
    if (left instanceof Types.ListType a && right instanceof Types.ListType b) {
      return sameIgnoringIds(a.elementType(), b.elementType());
    }
    if (left instanceof Types.MapType a && right instanceof Types.MapType b) {
      return sameIgnoringIds(a.keyType(), b.keyType())
          && sameIgnoringIds(a.valueType(), b.valueType());
    }
    return left.equals(right);
  }
}
