package io.onceberg.keystore;

import static org.apache.iceberg.types.Types.NestedField.optional;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.unsafe.types.UTF8String;

/** Prints what looking up and writing keys costs a task; run by hand. */
final class KeySpeed {
  private static final int FILE = 250_000;
  private static final int TASK = 125_000;
  private static final int FILES = 4;
  private static final UTF8String SOURCE = UTF8String.fromString("pg.public.orders");
  private static final UTF8String OP = UTF8String.fromString("c");

  private KeySpeed() {}

  public static void main(String[] arguments) {
    int runs = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 15;
    changelog(runs);
    events("36 characters", Types.StringType.get(), runs);
    events("uuid", Types.UUIDType.get(), runs);
    System.exit(0);
  }

  private static void changelog(int runs) {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.changelog());
    Types.StructType id = Types.StructType.of(optional(1, "id", Types.LongType.get()));
    TargetTables tables = schemas.evolve(schemas.create(), List.of(new SourceSchema(id, id)));
    TaskTarget target = schemas.pin(tables);
    for (int file = 0; file < FILES; file++) {
      int mine = file;
      store(tables, target, keys(FILE, i -> change(5 * i + mine, i)), new long[0]);
    }
    report("changelog", tables);
    TaskTarget stored = schemas.pin(tables);
    List<UnsafeRow> fresh = keys(TASK, i -> change(10 * i + 4, i));
    List<UnsafeRow> ahead = keys(TASK, i -> change(10_000_000 + i, i));
    List<UnsafeRow> repeated = keys(TASK, i -> change(10 * i, 2 * i));
    lookup("changelog, ahead of all files", stored, ahead, 0, runs);
    lookup("changelog, overlap and nothing equal", stored, fresh, 0, runs);
    lookup("changelog, all duplicates of one file", stored, repeated, TASK, runs);
    List<UnsafeRow> written = keys(FILE, i -> change(5 * i, i));
    time(
        "changelog, sort and write " + FILE,
        runs,
        () -> {
          TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 0);
          writer.writeKeys(written, new long[0]);
          writer.finish();
        });
  }

  private static void events(
      String name, org.apache.iceberg.types.Type.PrimitiveType type, int runs) {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.events("id"));
    Types.StructType id = Types.StructType.of(optional(1, "id", type));
    TargetTables tables = schemas.evolve(schemas.create(), List.of(new SourceSchema(id, null)));
    TaskTarget target = schemas.pin(tables);
    for (int file = 0; file < FILES; file++) {
      long first = (long) file * FILE;
      store(tables, target, keys(FILE, i -> event(first + i)), new long[FILE]);
    }
    report(name, tables);
    TaskTarget stored = schemas.pin(tables);
    lookup(name + ", nothing equal", stored, keys(TASK, i -> event(-1 - i)), 0, runs);
    lookup(
        name + ", 1 % equal",
        stored,
        keys(TASK, i -> event(i % 100 == 0 ? i * 8 : -1 - i)),
        TASK / 100,
        runs);
    lookup(name + ", all in one file", stored, keys(TASK, i -> event(i)), TASK, runs);
    lookup(name + ", all in all files", stored, keys(TASK, i -> event(i * 8)), TASK, runs);
    List<UnsafeRow> written = keys(FILE, i -> event(i));
    long[] payloads = new Random(1).longs(FILE).toArray();
    time(
        name + ", sort and write " + FILE,
        runs,
        () -> {
          TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 0);
          writer.writeKeys(written, payloads);
          writer.finish();
        });
  }

  private static void report(String name, TargetTables tables) {
    long bytes = 0;
    try (var files = tables.keys().newScan().planFiles()) {
      for (var task : files) {
        bytes += task.file().fileSizeInBytes();
      }
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    System.out.printf("%-45s %.2f bytes a key%n", name, bytes / (double) (FILES * FILE));
  }

  private static void store(
      TargetTables tables, TaskTarget target, List<UnsafeRow> keys, long[] payloads) {
    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 0);
    writer.writeKeys(keys, payloads);
    Lakehouse.append(tables, writer.finish());
  }

  private static List<UnsafeRow> keys(int count, LongFunction<UnsafeRow> key) {
    List<UnsafeRow> keys = new ArrayList<>(LongStream.range(0, count).mapToObj(key).toList());
    // four partitions, each in order
    Random random = new Random(7);
    List<List<UnsafeRow>> partitions = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      partitions.add(new ArrayList<>());
    }
    keys.forEach(row -> partitions.get(random.nextInt(4)).add(row));
    keys.clear();
    partitions.forEach(keys::addAll);
    return Collections.unmodifiableList(keys);
  }

  private static UnsafeRow change(long lsn, long id) {
    UnsafeRowWriter row = new UnsafeRowWriter(8);
    row.resetRowWriter();
    row.write(0, 0);
    row.write(1, SOURCE);
    // records of some hundred bytes, so that neighbours lie at uneven distances
    row.write(2, 1_000_000L + lsn * 120 + (mixed(lsn) >>> 58));
    row.write(3, 700 + lsn / 40);
    row.write(4, OP);
    int before = row.cursor();
    UnsafeRowWriter key = new UnsafeRowWriter(row, 1);
    key.resetRowWriter();
    key.write(0, mixed(id) >>> 44);
    row.setOffsetAndSizeFromPreviousCursor(5, before);
    row.setNullAt(6);
    row.setNullAt(7);
    return row.getRow().copy();
  }

  private static long mixed(long number) {
    long mixed = (number + 1) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  private static UnsafeRow event(long number) {
    Random random = new Random(number * 0x9E3779B97F4A7C15L);
    UnsafeRowWriter row = new UnsafeRowWriter(1);
    row.resetRowWriter();
    row.write(
        0,
        UTF8String.fromString(
            new java.util.UUID(random.nextLong() ^ number, random.nextLong()).toString()));
    return row.getRow().copy();
  }

  private static void lookup(
      String name, TaskTarget target, List<UnsafeRow> identities, int hits, int runs) {
    time(
        name,
        runs,
        () -> {
          int found = target.lookup().find(identities).stored().cardinality();
          if (found != hits) {
            throw new IllegalStateException(name + ": found " + found + ", not " + hits);
          }
        });
  }

  private static void time(String name, int runs, Runnable work) {
    long[] nanos = new long[runs];
    for (int i = -runs; i < runs; i++) {
      long begin = System.nanoTime();
      work.run();
      nanos[Math.floorMod(i, runs)] = System.nanoTime() - begin;
    }
    Arrays.sort(nanos);
    System.out.printf(
        "%-45s median %.1f ms, least %.1f ms%n", name, nanos[runs / 2] / 1e6, nanos[0] / 1e6);
  }
}
