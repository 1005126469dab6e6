package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.keystore.StoredFile.Bounds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MergePlanTest {
  private static final KeySettings SETTINGS = new KeySettings(0, 8);
  private static final Bounds FULL = new Bounds(0, new byte[] {1}, new byte[] {9});
  private static final Bounds NULLS = new Bounds(-1, null, null);

  private int files;

  private StoredFile keys(int day, long rows) {
    return new StoredFile("f" + ++files, 1, rows, day, new Bounds[] {FULL});
  }

  private StoredFile changes(int day, long rows) {
    return new StoredFile("f" + ++files, 1, rows, day, new Bounds[] {FULL, NULLS});
  }

  private StoredFile snapshotRows(int day, long rows) {
    Bounds allNull = new Bounds(rows, null, null);
    return new StoredFile("f" + ++files, 1, rows, day, new Bounds[] {allNull, FULL});
  }

  private static List<Integer> sizes(List<StoredFile> files, int tasks) {
    return MergePlan.of(files, SETTINGS, tasks).stream().map(List::size).toList();
  }

  private List<StoredFile> many(int count, int day, long rows) {
    List<StoredFile> many = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      many.add(keys(day, rows));
    }
    return many;
  }

  @Test
  void oneTaskMergesAsSoonAsATierIsFull() {
    assertThat(sizes(many(7, 10, 50_000), 1)).isEmpty();
    assertThat(sizes(many(8, 10, 50_000), 1)).containsExactly(8);
  }

  @Test
  void severalTasksWaitUntilEachHasAFullShare() {
    assertThat(sizes(many(15, 10, 50_000), 2)).isEmpty();
    assertThat(sizes(many(16, 10, 50_000), 2)).containsExactly(8, 8);
    assertThat(MergePlan.of(many(16, 10, 50_000), SETTINGS, 2).stream().flatMap(List::stream))
        .doesNotHaveDuplicates();
    assertThat(sizes(many(40, 10, 50_000), 64)).containsExactly(10, 10, 10, 10);
  }

  @Test
  void ofChangesOnlySmallFilesAreMerged() {
    List<StoredFile> large = new ArrayList<>();
    List<StoredFile> small = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      large.add(changes(10, 64_001));
      small.add(changes(10, 60_000));
    }
    assertThat(sizes(large, 1)).isEmpty();
    List<List<StoredFile>> groups = MergePlan.of(small, SETTINGS, 1);
    assertThat(groups).hasSize(1);
    assertThat(groups.get(0)).hasSize(4);
  }

  @Test
  void snapshotRowsAreMergedAsKeysAreAndNeverWithChanges() {
    List<StoredFile> mixed = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      mixed.add(changes(10, 5_000));
      mixed.add(snapshotRows(10, 100_000));
    }
    List<List<StoredFile>> groups = MergePlan.of(mixed, SETTINGS, 1);
    assertThat(groups).hasSize(2);
    assertThat(groups.get(0)).allMatch(file -> !file.allNull(0));
    assertThat(groups.get(1)).allMatch(file -> file.allNull(0)).hasSize(8);
  }

  @Test
  void whatAPastDayLeftOverIsPutTogetherByOneTask() {
    List<StoredFile> mixed = many(3, 9, 50_000);
    mixed.addAll(many(2, 10, 50_000));
    assertThat(sizes(mixed, 2)).containsExactly(3);
  }

  @Test
  void keysOfAPastDayAreLeftToWhoMergesThemBesideTheBatches() {
    List<StoredFile> mixed = many(3, 9, 50_000);
    mixed.addAll(List.of(changes(8, 10), changes(8, 10), changes(10, 10)));
    KeySettings beside = new KeySettings(0, 8, 0, true);
    List<List<StoredFile>> groups = MergePlan.of(mixed, beside, 2);
    assertThat(groups).hasSize(1);
    assertThat(groups.get(0)).allMatch(file -> file.day() == 8).hasSize(2);
  }

  @Test
  void noFileGrowsBeyondItsLimit() {
    List<StoredFile> large = many(9, 10, 1_500_000);
    assertThat(sizes(large, 1)).containsExactly(2);
    assertThat(sizes(many(9, 10, 2_000_001), 1)).isEmpty();
  }
}
