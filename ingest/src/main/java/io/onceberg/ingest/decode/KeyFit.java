package io.onceberg.ingest.decode;

import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.util.List;
import org.apache.iceberg.types.Types;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One key schema against the keys table, with all that reads and prints its keys. In an events
 * target the record key is no part of the identity; it is only printed, so its layout is its own.
 *
 * @param single whether the key is one value and no struct
 */
record KeyFit(SourceFit fit, RowBuilder builder, KeyText text, boolean single) {
  /** The column of a key that is no struct. */
  static final String SINGLE = "key";

  static KeyFit of(Schema schema, DecodeSettings settings, Types.@Nullable StructType table) {
    boolean single = schema.type() != Schema.Type.STRUCT;
    List<Field> fields = single ? List.of(new Field(SINGLE, 0, schema)) : schema.fields();
    boolean printedOnly = settings.kind() == TargetKind.EVENTS;
    Types.StructType layout = printedOnly ? ColumnTypes.columns(fields) : table;
    NewColumns policy = printedOnly ? NewColumns.APPEND : settings.newColumns();
    SourceFit fit = SourceFit.key(fields, layout, policy);
    Types.StructType built = layout == null ? Types.StructType.of() : layout;
    return new KeyFit(fit, builder(built, settings), new KeyText(built), single);
  }

  static RowBuilder builder(Types.StructType layout, DecodeSettings settings) {
    return new RowBuilder(
        layout.fields().size(), new Placeholders(settings.unavailablePlaceholder()));
  }
}
