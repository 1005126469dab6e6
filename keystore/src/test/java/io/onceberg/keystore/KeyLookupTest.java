package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyLookupTest {
  private static final Types.StructType ID = RandomKeys.struct(Types.LongType.get());

  private static TargetTables changelogTables(TableSchemas schemas) {
    return schemas.evolve(
        schemas.create(), List.of(new SourceSchema(RandomKeys.struct(Types.LongType.get()), ID)));
  }

  private static UnsafeRow change(TaskTarget target, long lsn, long id) {
    return Lakehouse.unsafe(
        target.identityType(),
        RowFactory.create(1, "pg.s.t", lsn, 1L, "c", RowFactory.create(id), null, null));
  }

  private static UnsafeRow snapshotRow(TaskTarget target, long id) {
    byte[] hash = new byte[16];
    new Random(id).nextBytes(hash);
    return Lakehouse.unsafe(
        target.identityType(),
        RowFactory.create(1, "pg.s.t", null, null, "r", RowFactory.create(id), hash, null));
  }

  private static void storeKeys(TargetTables tables, TaskTarget target, List<UnsafeRow> keys) {
    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 0);
    writer.writeKeys(keys, new long[0]);
    Lakehouse.append(tables, writer.finish());
  }

  @Test
  void readsOnlyFilesWhoseBoundsMeetTheBatch() {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    TargetTables tables = changelogTables(schemas);
    for (int file = 0; file < 20; file++) {
      TaskTarget target = schemas.pin(tables);
      long first = file * 1_000L;
      storeKeys(
          tables,
          target,
          Stream.concat(
                  LongStream.range(first, first + 100).mapToObj(l -> change(target, l, l)),
                  Stream.of(snapshotRow(target, file)))
              .toList());
    }
    TaskTarget target = schemas.pin(tables);

    assertRead(target, List.of(change(target, 20_000, 1), change(target, 1L << 62, 2)), 0, 0);
    assertRead(target, List.of(change(target, 3_050, 3_050), change(target, 500, 0)), 1, 1);
    assertRead(target, List.of(change(target, 50, 50), change(target, 19_050, 19_050)), 2, 2);
    // an LSN above 2^63 is negative in signed order, on both sides
    assertRead(target, List.of(change(target, -1L, 1)), 0, 0);
    // a snapshot row is looked for in files of snapshot rows only, a change in the others only
    assertRead(target, List.of(snapshotRow(target, 7)), 1, 1);
  }

  /** The first of the key's columns has two values: led by it, a lookup reads all there is. */
  @Test
  void aCompositeKeyCostsWhatASingleOneCosts() {
    Types.StructType key = RandomKeys.struct(Types.StringType.get(), Types.LongType.get());
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.events("k.0", "k.1"));
    TargetTables tables = schemas.evolve(schemas.create(), List.of(new SourceSchema(key, null)));
    TaskTarget target = schemas.pin(tables);
    List<UnsafeRow> stored = LongStream.range(0, 50_000).mapToObj(n -> order(target, n)).toList();
    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 0);
    writer.writeKeys(stored, new long[stored.size()]);
    Lakehouse.append(tables, writer.finish());

    LsmKeyLookup lookup = ((PinnedTarget) schemas.pin(tables)).lookup();
    List<UnsafeRow> fresh =
        LongStream.range(50_000, 51_000).mapToObj(n -> order(target, n)).toList();
    assertThat(lookup.find(fresh).stored().cardinality()).isZero();
    assertThat(lookup.counts().leadPages()).isLessThan(5);
    assertThat(lookup.find(stored.subList(7, 10)).stored().cardinality()).isEqualTo(3);
    assertThat(lookup.counts().leadPages()).isLessThan(8);
    assertThat(lookup.counts().rowPages()).isLessThan(20);
  }

  private static UnsafeRow order(TaskTarget target, long number) {
    long hash = (number + 1) * 0x9E3779B97F4A7C15L;
    return Lakehouse.unsafe(
        target.identityType(), RowFactory.create("tenant " + number % 2, number, hash));
  }

  private static void assertRead(
      TaskTarget target, List<UnsafeRow> identities, int files, int hits) {
    LsmKeyLookup lookup = ((PinnedTarget) target).lookup();
    assertThat(lookup.find(identities).stored().cardinality()).isEqualTo(hits);
    assertThat(lookup.filesSearched()).isEqualTo(files);
  }

  @Test
  void aKeyIsFoundWhateverTheOrderItsFieldsWereWrittenIn() {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    Types.StructType key =
        RandomKeys.struct(
            Types.StringType.get(), Types.DecimalType.of(38, 0), Types.StringType.get());
    TargetTables tables = schemas.evolve(schemas.create(), List.of(new SourceSchema(key, key)));
    TaskTarget target = schemas.pin(tables);
    UnsafeRowWriter backwards = new UnsafeRowWriter(3);
    backwards.reset();
    backwards.zeroOutNullBytes();
    backwards.write(2, UTF8String.fromString("second text"));
    backwards.setNullAt(1);
    backwards.write(0, UTF8String.fromString("first text"));
    UnsafeRow identity =
        UnsafeProjection.create(target.identityType())
            .apply(
                new GenericInternalRow(
                    new @Nullable Object[] {1, null, 5L, 1L, null, backwards.getRow(), null, null}))
            .copy();
    storeKeys(tables, target, List.of(identity));
    assertRead(schemas.pin(tables), List.of(identity), 1, 1);
  }

  /** All changes of a COPY have one LSN; three of an UPDATE may. */
  @ParameterizedTest
  @ValueSource(ints = {3, 1_000})
  void changesThatShareALeadAreToldApart(int changes) {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    TargetTables tables = changelogTables(schemas);
    TaskTarget target = schemas.pin(tables);
    storeKeys(
        tables,
        target,
        LongStream.range(0, changes).mapToObj(id -> change(target, 77, 2 * id)).toList());

    List<UnsafeRow> asked =
        LongStream.range(0, 2L * changes).mapToObj(id -> change(target, 77, id)).toList();
    assertThat(schemas.pin(tables).lookup().find(asked).stored().stream().toArray())
        .isEqualTo(IntStream.range(0, changes).map(id -> 2 * id).toArray());
  }

  /** In several files, and whatever their number: some are compared one by one, many by hashes. */
  @ParameterizedTest
  @ValueSource(ints = {2, 100})
  void ordinalsOfEqualChangesAreFoundInAllFiles(int positions) {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    TargetTables tables = changelogTables(schemas);
    TaskTarget target = schemas.pin(tables);
    for (long ordinal = 1; ordinal <= 3; ordinal++) {
      long stored = ordinal;
      storeKeys(
          tables,
          target,
          LongStream.range(0, positions)
              .mapToObj(lsn -> unkeyed(target, lsn, lsn == 0 ? null : 10 * lsn + stored))
              .toList());
    }
    storeKeys(tables, target, List.of(change(target, 1, 1)));

    List<UnsafeRow> asked =
        LongStream.rangeClosed(0, positions).mapToObj(lsn -> unkeyed(target, lsn, null)).toList();
    List<StoredOrdinals> found = schemas.pin(tables).lookup().ordinals(asked);
    assertThat(found.get(0).size()).as("stored without one, three times").isEqualTo(1);
    assertThat(found.get(0).isBelow(1)).isTrue();
    for (int lsn = 1; lsn < positions; lsn++) {
      assertThat(found.get(lsn)).hasToString("[%1$d1, %1$d2, %1$d3]".formatted(lsn));
      assertThat(found.get(lsn).isBelow(10L * lsn + 3)).isFalse();
      assertThat(found.get(lsn).isBelow(10L * lsn + 4)).isTrue();
    }
    assertThat(found.get(positions).size()).isZero();
  }

  private static UnsafeRow unkeyed(TaskTarget target, long lsn, @Nullable Long ordinal) {
    return Lakehouse.unsafe(
        target.identityType(),
        RowFactory.create(1, "pg.s.t", lsn, 1L, "c", null, new byte[16], ordinal));
  }

  /** The hits and their payload hashes are those of the place in the list that was asked. */
  @Test
  void keysThatBeginAlikeAreFoundInAnyOrder() {
    Types.StructType key = RandomKeys.struct(Types.StringType.get());
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.events("k.0"));
    TargetTables tables = schemas.evolve(schemas.create(), List.of(new SourceSchema(key, null)));
    TaskTarget target = schemas.pin(tables);
    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 0);
    int[] stored = IntStream.range(0, 2_000).map(n -> 2 * n).toArray();
    writer.writeKeys(
        IntStream.of(stored).mapToObj(n -> customer(target, n)).toList(),
        IntStream.of(stored).mapToLong(n -> -n).toArray());
    Lakehouse.append(tables, writer.finish());

    List<Integer> asked = new ArrayList<>(IntStream.range(0, 3_001).boxed().toList());
    Collections.shuffle(asked, new Random(5));
    KeyHits hits =
        schemas.pin(tables).lookup().find(asked.stream().map(n -> customer(target, n)).toList());
    for (int i = 0; i < asked.size(); i++) {
      int number = asked.get(i);
      assertThat(hits.stored().get(i)).as("%d", number).isEqualTo(number % 2 == 0);
      assertThat(hits.payloadHashes()[i]).as("%d", number).isEqualTo(number % 2 == 0 ? -number : 0);
    }
  }

  private static UnsafeRow customer(TaskTarget target, int number) {
    return Lakehouse.unsafe(
        target.identityType(), RowFactory.create("customer %05d".formatted(number)));
  }

  @Test
  void aPinSeesItsOwnSnapshotOnly() {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    TargetTables tables = changelogTables(schemas);
    TaskTarget before = schemas.pin(tables);
    storeKeys(tables, before, List.of(change(before, 5, 5)));
    TaskTarget after = schemas.pin(tables);
    assertRead(before, List.of(change(before, 5, 5)), 0, 0);
    assertRead(after, List.of(change(after, 5, 5)), 1, 1);
  }
}
