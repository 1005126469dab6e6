package io.onceberg.keystore;

import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.keystore.keyfile.KeyMemory;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The budget that docs/keys.md states, measured on the heap, and what happens beyond it. */
class KeyMemoryTest {
  private static final int FILES = 4;
  private static final int KEYS_OF_A_FILE = 150_000;
  private static final int KEYS = FILES * KEYS_OF_A_FILE;
  private static final long MIB = 1 << 20;

  @BeforeEach
  void forget() {
    KeyMemory.forgetAll();
  }

  private static TargetSettings with(TargetSettings settings, long filterMemory) {
    return new TargetSettings(
        settings.name(),
        settings.kind(),
        settings.eventKey(),
        settings.partitionBy(),
        settings.sourceEpoch(),
        settings.newColumns(),
        settings.tableProperties(),
        new KeySettings(filterMemory, 8));
  }

  private static TargetTables store(TargetSettings settings, LongFunction<Object[]> key) {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, settings);
    Types.StructType id = Types.StructType.of(optional(1, "id", Types.StringType.get()));
    TargetTables tables = schemas.evolve(schemas.create(), List.of(new SourceSchema(id, id)));
    for (long file = 0; file < FILES; file++) {
      TaskTarget target = schemas.pin(tables);
      TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 0);
      long first = file * KEYS_OF_A_FILE;
      List<UnsafeRow> keys =
          identities(target, LongStream.range(first, first + KEYS_OF_A_FILE), key);
      writer.writeKeys(keys, new long[keys.size()]);
      Lakehouse.append(tables, writer.finish());
    }
    return tables;
  }

  private static List<UnsafeRow> identities(
      TaskTarget target, LongStream numbers, LongFunction<Object[]> key) {
    Function<Row, UnsafeRow> unsafe = Lakehouse.unsafeRows(target.identityType());
    return numbers.mapToObj(n -> unsafe.apply(RowFactory.create(key.apply(n)))).toList();
  }

  private static Object[] event(long number) {
    return new Object[] {
      new UUID(number * 0x9E3779B97F4A7C15L, ~number * 0xBF58476D1CE4E5B9L).toString()
    };
  }

  private static Object[] change(long number) {
    return new Object[] {
      1,
      "pg.public.orders",
      16_000_000 + 130 * number,
      number / 3,
      "c",
      RowFactory.create("o" + number),
      null,
      null
    };
  }

  /** Asks for stored keys of all files and for new ones; all must be told apart. */
  private static LsmKeyLookup look(
      TargetSettings settings, TargetTables tables, LongFunction<Object[]> key) {
    TaskTarget target = new TableSchemas(Lakehouse.CATALOG, settings).pin(tables);
    LsmKeyLookup lookup = ((PinnedTarget) target).lookup();
    List<UnsafeRow> asked =
        identities(target, LongStream.range(0, 2L * KEYS).filter(n -> n % 997 == 0), key);
    assertThat(lookup.find(asked).stored().cardinality()).isEqualTo((KEYS + 996) / 997);
    return lookup;
  }

  /** What the heap loses when the indexes are forgotten. */
  private static long heldOnTheHeap() {
    long with = usedHeap();
    KeyMemory.forgetAll();
    return with - usedHeap();
  }

  private static long usedHeap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }

  @Test
  void randomKeysTakeAtMostFourBytesEach() {
    TargetSettings settings = Lakehouse.events("id");
    TargetTables tables = store(settings, KeyMemoryTest::event);
    look(settings, tables, KeyMemoryTest::event);
    assertThat(KeyMemory.files()).isEqualTo(FILES);
    assertThat((double) KeyMemory.bytes() / KEYS).isBetween(2.75, 4.0);
    double said = KeyMemory.bytes();
    assertThat((double) heldOnTheHeap()).isBetween(said - MIB / 2, said + MIB / 2);
  }

  @Test
  void keysOfAChangelogTakeNextToNothing() {
    TargetSettings settings = Lakehouse.changelog();
    TargetTables tables = store(settings, KeyMemoryTest::change);
    look(settings, tables, KeyMemoryTest::change);
    assertThat(KeyMemory.files()).isEqualTo(FILES);
    assertThat((double) KeyMemory.bytes() / KEYS).isLessThan(0.2);
    assertThat(heldOnTheHeap()).isLessThan(MIB / 2);
  }

  @Test
  void overTheBudgetIndexesAreReadAgain() {
    TargetSettings settings = Lakehouse.events("id");
    TargetTables tables = store(settings, KeyMemoryTest::event);
    assertThat(look(settings, tables, KeyMemoryTest::event).counts().indexes()).isEqualTo(FILES);
    assertThat(look(settings, tables, KeyMemoryTest::event).counts().indexes()).isZero();

    KeyMemory.forgetAll();
    long half = KEYS * 2L;
    TargetSettings little = with(settings, half);
    for (int i = 0; i < 3; i++) {
      assertThat(look(little, tables, KeyMemoryTest::event).counts().indexes()).isPositive();
      assertThat(KeyMemory.bytes()).isBetween(1L, half);
    }
    KeyMemory.forgetAll();
    TargetSettings none = with(settings, 1);
    for (int i = 0; i < 2; i++) {
      assertThat(look(none, tables, KeyMemoryTest::event).counts().indexes()).isEqualTo(FILES);
      assertThat(KeyMemory.bytes()).isZero();
    }
  }
}
