package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.keystore.KeyCompacted.Merged;
import io.onceberg.keystore.RandomKeys.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Merging the files of each day while others change the table. */
class KeyCompactionTest {
  /** A keys table with many small files, written as batches write them. */
  private static final class Keys {
    final TargetSettings settings;
    final TableSchemas schemas;
    final TargetTables tables;
    final List<Map<String, Object>> pool;
    final Map<Map<String, Object>, Long> stored = new HashMap<>();

    Keys(Shape shape, int size) {
      TargetSettings all = shape.settings();
      // so wide that batches merge nothing by themselves
      this.settings =
          new TargetSettings(
              all.name(),
              all.kind(),
              all.eventKey(),
              all.partitionBy(),
              all.sourceEpoch(),
              all.newColumns(),
              all.tableProperties(),
              new KeySettings(0, 1_000));
      this.schemas = new TableSchemas(Lakehouse.CATALOG, settings);
      this.tables = schemas.evolve(schemas.create(), List.of(shape.first()));
      this.pool = RandomKeys.pool(new Random(size), tables, settings, size);
    }

    boolean events() {
      return settings.kind() == TargetKind.EVENTS;
    }

    /** Writes keys {@code from} until {@code until} of the pool as one batch. */
    void batch(int day, int from, int until) {
      List<Map<String, Object>> keys = pool.subList(from, Math.min(until, pool.size()));
      TaskTarget task = schemas.pin(tables);
      List<UnsafeRow> identities = keys.stream().map(k -> unsafe(k, task)).toList();
      long[] hashes = LongStream.range(from, (long) from + keys.size()).toArray();
      TargetWriter writer = task.writer(day, 99, 0);
      writer.writeKeys(identities, events() ? hashes : new long[0]);
      Lakehouse.append(tables, writer.finish());
      for (int i = 0; i < keys.size(); i++) {
        stored.put(keys.get(i), hashes[i]);
      }
    }

    private static UnsafeRow unsafe(Map<String, Object> key, TaskTarget task) {
      return Lakehouse.unsafe(task.identityType(), RandomKeys.row(key, task.identityType()));
    }

    KeyCompacted compact(long mostRows, KeyProgress progress, List<Merged> merged) {
      return new KeyCompaction(
              () -> schemas.load().orElseThrow(),
              settings,
              mostRows,
              place -> true,
              progress,
              merged::add)
          .run();
    }

    /** Asks for every key there is, and for as many that are not. */
    void checkLookup() {
      tables.keys().refresh();
      TaskTarget task = schemas.pin(tables);
      KeyHits hits = task.lookup().find(pool.stream().map(k -> unsafe(k, task)).toList());
      for (int i = 0; i < pool.size(); i++) {
        Long payload = stored.get(pool.get(i));
        assertThat(hits.stored().get(i)).isEqualTo(payload != null);
        if (payload != null && events()) {
          assertThat(hits.payloadHashes()[i]).isEqualTo(payload);
        }
      }
    }

    /** Every row as text, in an order of its own. */
    List<String> rows() {
      return Lakehouse.SPARK
          .sql("SELECT * FROM onceberg." + settings.name().keys())
          .toJSON()
          .collectAsList()
          .stream()
          .sorted()
          .toList();
    }

    Table table() {
      tables.keys().refresh();
      return tables.keys();
    }
  }

  static Stream<Shape> shapes() {
    return RandomKeys.shapes();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void oneRunForEachDayAndTheSameKeys(Shape shape) {
    Keys keys = new Keys(shape, 500);
    for (int batch = 0; batch < 12; batch++) {
      keys.batch(Lakehouse.TODAY + batch / 5, 30 * batch, 30 * batch + 30);
    }
    List<String> before = keys.rows();
    List<Merged> merged = new ArrayList<>();
    KeyCompacted done = keys.compact(MergePlan.MOST_ROWS, KeyProgress.NONE, merged);
    assertThat(keys.rows()).isEqualTo(before);
    keys.checkLookup();
    assertThat(done.left()).isZero();
    assertThat(done.filesBefore()).isGreaterThan(done.filesAfter());
    assertThat(done.filesAfter())
        .as("three days of changes and snapshot rows")
        .isLessThanOrEqualTo(6);
    assertThat(merged.stream().mapToLong(Merged::keys).sum()).isLessThanOrEqualTo(before.size());
    Snapshot last = keys.table().currentSnapshot();
    assertThat(last.operation()).isEqualTo("replace");

    merged.clear();
    KeyCompacted again = keys.compact(MergePlan.MOST_ROWS, KeyProgress.NONE, merged);
    assertThat(merged).isEmpty();
    assertThat(again.filesAfter()).isEqualTo(done.filesAfter());
    assertThat(keys.table().currentSnapshot().snapshotId()).isEqualTo(last.snapshotId());
  }

  private static Shape uuids() {
    return RandomKeys.shapes()
        .filter(s -> s.settings().kind() == TargetKind.EVENTS && s.toString().contains("uuid"))
        .findFirst()
        .orElseThrow();
  }

  /** More files than are read side by side, and more keys than a file may have. */
  @Test
  void aRunOfManyFilesIsCutIntoFilesThatDoNotOverlap() {
    Keys keys = new Keys(uuids(), 1_500);
    for (int batch = 0; batch < 60; batch++) {
      keys.batch(Lakehouse.TODAY, 25 * batch, 25 * batch + 25);
    }
    List<String> before = keys.rows();
    KeyCompacted done = keys.compact(400, KeyProgress.NONE, new ArrayList<>());
    assertThat(keys.rows()).isEqualTo(before);
    keys.checkLookup();
    assertThat(done.filesBefore()).isEqualTo(60);
    assertThat(done.filesAfter()).isEqualTo(4);
    LsmKeyLookup lookup = (LsmKeyLookup) keys.schemas.pin(keys.tables).lookup();
    TaskTarget task = keys.schemas.pin(keys.tables);
    lookup.find(List.of(Keys.unsafe(keys.pool.get(700), task)));
    assertThat(lookup.filesSearched()).as("files whose bounds hold a key").isEqualTo(1);
  }

  /** The daemon merges two of the files itself while they are being merged here. */
  @Test
  void isMadeAgainWhenAFileIsGone() {
    Keys keys = new Keys(uuids(), 600);
    for (int batch = 0; batch < 6; batch++) {
      keys.batch(Lakehouse.TODAY, 100 * batch, 100 * batch + 100);
    }
    List<String> before = keys.rows();
    List<Merged> merged = new ArrayList<>();
    boolean[] meanwhile = {false};
    KeyCompacted done =
        keys.compact(
            MergePlan.MOST_ROWS,
            (step, at, total) -> {
              if (!meanwhile[0]) {
                meanwhile[0] = true;
                mergeTwo(keys);
              }
            },
            merged);
    assertThat(meanwhile[0]).isTrue();
    assertThat(keys.rows()).isEqualTo(before);
    keys.checkLookup();
    // all of them are small, and small files of the newest day are left to the daemon then
    assertThat(merged).isEmpty();
    assertThat(done.left()).isEqualTo(5);
    KeyCompacted later = keys.compact(MergePlan.MOST_ROWS, KeyProgress.NONE, merged);
    assertThat(later.filesAfter()).isEqualTo(1);
    assertThat(keys.rows()).isEqualTo(before);
  }

  private static void mergeTwo(Keys keys) {
    TargetTables tables = keys.schemas.load().orElseThrow();
    TableImage image = new TableImage(keys.settings, tables);
    List<StoredFile> two = KeysTable.files(image, tables.keys()).subList(0, 2);
    KeyMerge merge =
        new KeyMerging(image).merge(two, OutputFileFactory.builderFor(image.keys, 1, 1).build());
    RewriteFiles rewrite = tables.keys().newRewrite();
    for (DataFile file : merge.replaced()) {
      rewrite.deleteFile(file);
    }
    merge.merged().forEach(rewrite::addFile);
    rewrite.commit();
  }
}
