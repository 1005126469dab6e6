package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What grows with the number of batches, and what must not. */
class SmallBatchesTest {
  private static final int BATCHES = 120;
  private static final int ROWS_MOST = 60;

  @TempDir Path directory;

  private CatalogSettings catalog(String type) {
    return type.equals("jdbc") ? Lake.sqlite(directory) : Lake.hadoop(directory);
  }

  private SmallBatches open(String type) {
    return new SmallBatches(directory, catalog(type), new SnapshotSettings(ROWS_MOST, 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc", "hadoop"})
  void whatManyBatchesLeaveIsBounded(String type) {
    long stored = (long) BATCHES * SmallBatches.ROWS;
    try (SmallBatches batches = open(type)) {
      batches.run(BATCHES, Lakehouse.TODAY);
      SmallBatches.Figures figures = batches.figures();
      assertThat(figures.filesMet()).isLessThanOrEqualTo(3 * KeySettings.DEFAULT.mergeWidth());
      assertThat(figures.rows().snapshots()).isBetween(ROWS_MOST, ROWS_MOST + 20);
      assertThat(figures.keys().snapshots()).isBetween(10, 10 + 22);
      for (SmallBatches.TableFigures table : List.of(figures.rows(), figures.keys())) {
        assertThat(table.manifests()).isLessThanOrEqualTo(101);
        assertThat(table.metadataBytes()).isLessThan(120_000);
      }
      assertThat(batches.found(1)).isEqualTo(stored);
    }
    try (SmallBatches again = open(type)) {
      assertThat(again.resumed(BATCHES).found(1)).isEqualTo(stored);
      again.run(1, Lakehouse.TODAY);
      checkFiles(again.table(Lake.ORDERS.rows()));
      checkFiles(again.table(Lake.ORDERS.keys()));
    }
  }

  /** The oldest snapshot can be read whole, and no file is there that none of them names. */
  private static void checkFiles(Table table) {
    Snapshot oldest = table.snapshots().iterator().next();
    assertThat(Lake.idsAt(table, oldest))
        .hasSize(Integer.parseInt(oldest.summary().get("total-records")));
    assertThat(Lake.filesOf(table)).isEqualTo(Lake.filesNamed(table));
  }
}
