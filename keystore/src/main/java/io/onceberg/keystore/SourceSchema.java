package io.onceberg.keystore;

import java.io.Serializable;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * The columns that a batch's records bring, found while decoding. Field ids are meaningless here;
 * fields are matched by name.
 *
 * @param columns the source columns with the Iceberg types they should have; all optional
 * @param key the fields of the record key; null when the source table has no key
 */
public record SourceSchema(Types.StructType columns, Types.@Nullable StructType key)
    implements Serializable {}
