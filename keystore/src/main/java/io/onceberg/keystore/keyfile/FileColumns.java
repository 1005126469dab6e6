package io.onceberg.keystore.keyfile;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Where a file has the columns that a table has today. Columns are matched by field id, so that a
 * file from before a change of the schema is read in today's types; what it does not have is null.
 */
final class FileColumns {
  /** A wanted column: its place in the file, or nothing. */
  sealed interface Column {
    Type type();
  }

  /**
   * A column with values.
   *
   * @param leaf its place in {@link #leaves}; -1 when the file lacks it
   */
  record Leaf(Type type, int leaf) implements Column {}

  /**
   * A column with columns of its own.
   *
   * @param witness the place of a leaf inside it, by whose levels one sees where it is null; -1
   *     when the file lacks it
   * @param level the least definition level at which it is not null
   */
  record Struct(Type type, int witness, int level, List<Column> columns) implements Column {}

  /**
   * A column chunk to be read.
   *
   * @param type what its values become
   */
  record FileLeaf(ColumnDescriptor descriptor, Type type) {
    PrimitiveTypeName physical() {
      return descriptor.getPrimitiveType().getPrimitiveTypeName();
    }
  }

  final List<Column> columns;
  final List<FileLeaf> leaves = new ArrayList<>();
  private final MessageType file;

  /**
   * Finds the columns.
   *
   * @throws UnknownLayoutException when a column is stored in a form that is not known here
   */
  FileColumns(List<NestedField> wanted, MessageType file) {
    this.file = file;
    if (file.getFields().stream().anyMatch(f -> f.getId() == null)) {
      throw new UnknownLayoutException("columns without field ids");
    }
    this.columns = columns(wanted, file, new String[0]);
  }

  private List<Column> columns(List<NestedField> wanted, @Nullable GroupType group, String[] path) {
    List<Column> found = new ArrayList<>();
    for (NestedField field : wanted) {
      found.add(column(field, group == null ? null : child(group, field.fieldId()), path));
    }
    return found;
  }

  private static org.apache.parquet.schema.@Nullable Type child(GroupType group, int id) {
    for (org.apache.parquet.schema.Type type : group.getFields()) {
      if (type.getId() != null && type.getId().intValue() == id) {
        return type;
      }
    }
    return null;
  }

  private Column column(
      NestedField field, org.apache.parquet.schema.@Nullable Type stored, String[] path) {
    if (field.type() instanceof Types.StructType struct) {
      return struct(struct, stored, path);
    }
    if (!field.type().isPrimitiveType()) {
      throw new UnknownLayoutException(
          "column %s of type %s".formatted(field.name(), field.type()));
    }
    if (stored == null) {
      return new Leaf(field.type(), -1);
    }
    if (!stored.isPrimitive()
        || stored.isRepetition(org.apache.parquet.schema.Type.Repetition.REPEATED)
        || !fits(field.type(), stored.asPrimitiveType())) {
      throw new UnknownLayoutException(
          "column %s of type %s stored as %s".formatted(field.name(), field.type(), stored));
    }
    return new Leaf(field.type(), add(field.type(), path, stored.getName()));
  }

  private Column struct(
      Types.StructType wanted, org.apache.parquet.schema.@Nullable Type stored, String[] path) {
    if (stored == null) {
      return new Struct(wanted, -1, 0, columns(wanted.fields(), null, path));
    }
    if (stored.isPrimitive()
        || stored.isRepetition(org.apache.parquet.schema.Type.Repetition.REPEATED)) {
      throw new UnknownLayoutException("a struct stored as " + stored);
    }
    GroupType group = stored.asGroupType();
    String[] inner = plus(path, group.getName());
    int before = leaves.size();
    List<Column> columns = columns(wanted.fields(), group, inner);
    int witness = before < leaves.size() ? before : witness(group, inner);
    return new Struct(wanted, witness, file.getMaxDefinitionLevel(inner), columns);
  }

  /** A leaf of a struct of which none of today's fields is in the file. */
  private int witness(GroupType group, String[] path) {
    for (org.apache.parquet.schema.Type field : group.getFields()) {
      if (field.isPrimitive()
          && !field.isRepetition(org.apache.parquet.schema.Type.Repetition.REPEATED)) {
        return add(Types.BinaryType.get(), path, field.getName());
      }
    }
    throw new UnknownLayoutException("nothing shows where %s is null".formatted(group.getName()));
  }

  private int add(Type type, String[] path, String name) {
    leaves.add(new FileLeaf(file.getColumnDescription(plus(path, name)), type));
    return leaves.size() - 1;
  }

  private static String[] plus(String[] path, String name) {
    String[] longer = java.util.Arrays.copyOf(path, path.length + 1);
    longer[path.length] = name;
    return longer;
  }

  /** Whether values of the stored type are read here as values of the wanted one. */
  private static boolean fits(Type wanted, PrimitiveType stored) {
    PrimitiveTypeName physical = stored.getPrimitiveTypeName();
    LogicalTypeAnnotation logical = stored.getLogicalTypeAnnotation();
    return switch (wanted.typeId()) {
      case BOOLEAN -> physical == PrimitiveTypeName.BOOLEAN;
      case INTEGER -> physical == PrimitiveTypeName.INT32 && signed(logical);
      case DATE -> physical == PrimitiveTypeName.INT32;
      case LONG ->
          (physical == PrimitiveTypeName.INT32 || physical == PrimitiveTypeName.INT64)
              && signed(logical);
      case TIMESTAMP ->
          physical == PrimitiveTypeName.INT64
              && logical instanceof TimestampLogicalTypeAnnotation timestamp
              && timestamp.getUnit() == TimeUnit.MICROS;
      case FLOAT -> physical == PrimitiveTypeName.FLOAT;
      case DOUBLE -> physical == PrimitiveTypeName.FLOAT || physical == PrimitiveTypeName.DOUBLE;
      case STRING, BINARY -> physical == PrimitiveTypeName.BINARY;
      case FIXED ->
          physical == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY
              && stored.getTypeLength() == ((Types.FixedType) wanted).length();
      case UUID ->
          physical == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY && stored.getTypeLength() == 16;
      case DECIMAL ->
          logical instanceof DecimalLogicalTypeAnnotation decimal
              && decimal.getScale() == ((Types.DecimalType) wanted).scale()
              && decimal.getPrecision() <= ((Types.DecimalType) wanted).precision();
      default -> false;
    };
  }

  private static boolean signed(@Nullable LogicalTypeAnnotation logical) {
    return logical == null
        || (logical instanceof IntLogicalTypeAnnotation number && number.isSigned());
  }
}
