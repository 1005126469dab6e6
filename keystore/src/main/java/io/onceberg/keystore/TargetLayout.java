package io.onceberg.keystore;

import java.io.Serializable;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * The columns that a target's tables have now, as a decoder needs to know them.
 *
 * @param columns the source columns of the rows table, in table order, without {@code _cdc} and
 *     {@code loaded_date}
 * @param key the fields of the keys table's {@code key} struct; null when it has none (yet)
 */
public record TargetLayout(Types.StructType columns, Types.@Nullable StructType key)
    implements Serializable {
  /** A target that has no source column yet. */
  public static final TargetLayout EMPTY = new TargetLayout(Types.StructType.of(), null);
}
