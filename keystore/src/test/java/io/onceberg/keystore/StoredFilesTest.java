package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.iceberg.expressions.Expressions;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Test;

class StoredFilesTest {
  @Test
  void readsEachManifestOnceAndOnlyLiveFiles() {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    TargetTables tables = schemas.create();
    StoredFiles files = new StoredFiles();
    int[] lsn = {tables.keys().schema().findField(TableColumns.LSN).fieldId()};
    assertThat(StoredFiles.decode(files.current(tables.keys(), lsn), 1)).isEmpty();
    for (long batch = 1; batch <= 4; batch++) {
      TaskTarget target = schemas.pin(tables);
      TargetWriter writer = target.writer(Lakehouse.TODAY + (int) batch, 0, batch);
      writer.writeKeys(
          List.of(
              Lakehouse.unsafe(
                  target.identityType(), RowFactory.create(1, "s", batch, null, "c", null, null))),
          new long[0]);
      Lakehouse.append(tables, writer.finish());
      List<StoredFile> stored = StoredFiles.decode(files.current(tables.keys(), lsn), 1);
      assertThat(stored).hasSize((int) batch);
      assertThat(stored.get(0).bounds()[0].lower(org.apache.iceberg.types.Types.LongType.get()))
          .as("newest first")
          .isEqualTo(batch);
      files.current(tables.keys(), lsn);
      assertThat(files.manifestsRead()).isEqualTo((int) batch);
    }
    tables
        .keys()
        .newDelete()
        .deleteFromRowFilter(Expressions.lessThan(TableColumns.LOADED_DATE, Lakehouse.TODAY + 3))
        .commit();
    tables.keys().refresh();
    assertThat(StoredFiles.decode(files.current(tables.keys(), lsn), 1)).hasSize(2);
  }
}
