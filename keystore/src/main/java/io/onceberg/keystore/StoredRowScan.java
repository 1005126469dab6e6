package io.onceberg.keystore;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.io.CloseableIterable;

/**
 * Reads the rows of a target with what their identities are made of. What the user has deleted is
 * not read, whatever form the delete has.
 */
final class StoredRowScan {
  private static final List<String> CHANGES =
      List.of(
          "op",
          "position.lsn",
          "tx_id",
          "ordinal",
          "source",
          "epoch",
          "key",
          "content_hash",
          "partition",
          "offset");

  private static final List<String> EVENTS = List.of("op", "content_hash", "partition", "offset");

  private StoredRowScan() {}

  /**
   * The rows that a filter lets pass; one object shows all of them.
   *
   * @param rows the table, whose current snapshot is read
   * @param filter about columns that are read: loaded_date, of {@code _cdc} those of an identity,
   *     the business key
   */
  static CloseableIterable<StoredRow> of(TableImage image, Table rows, Expression filter) {
    List<String> names = new ArrayList<>(List.of(TableColumns.LOADED_DATE));
    if (image.settings.kind() == TargetKind.EVENTS) {
      names.addAll(image.settings.eventKey());
      EVENTS.forEach(field -> names.add(TableColumns.CDC + "." + field));
    } else {
      CHANGES.forEach(field -> names.add(TableColumns.CDC + "." + field));
    }
    Schema read = rows.schema().select(names);
    StoredRow view = new StoredRow(read.asStruct(), image.eventKey());
    CloseableIterable<Record> records =
        IcebergGenerics.read(rows).project(read).where(filter).build();
    return CloseableIterable.transform(records, view::show);
  }
}
