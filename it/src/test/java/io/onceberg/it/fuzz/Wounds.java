package io.onceberg.it.fuzz;

import io.onceberg.it.fuzz.Json.Field;
import io.onceberg.it.fuzz.Json.Fields;
import io.onceberg.it.fuzz.Json.Raw;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Damages JSON and bytes at random. */
final class Wounds {
  /** Names that columns seldom have, and some that mean something to someone on the way. */
  static final List<String> NAMES =
      List.of(
          "",
          " ",
          "a.b",
          "a.b.c",
          "key.id",
          "element",
          "list.element",
          "select",
          "ID",
          "Id",
          "é日本",
          "\ud83d\ude00",
          "a\u0000b",
          "x\ny",
          "`",
          "\"",
          "'",
          "\\",
          "$",
          "__op",
          "__deleted",
          "op",
          "source",
          "after",
          "before",
          "schema",
          "payload",
          "lsn",
          "key",
          "n".repeat(300),
          "\ud800",
          "b\udc00",
          "#",
          "a/b",
          "a b",
          "_loaded_date",
          "0");

  private static final List<String> NUMBERS =
      List.of(
          "0",
          "-0",
          "-0.0",
          "1",
          "-1",
          "1.5",
          "127",
          "32768",
          "2147483647",
          "2147483648",
          "-2147483649",
          "9007199254740993",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775808",
          "-9223372036854775809",
          "18446744073709551615",
          "18446744073709551616",
          "9".repeat(38),
          "9".repeat(39),
          "9".repeat(400),
          "0.1",
          "0." + "1".repeat(60),
          "1e2",
          "1E+2",
          "1e-2",
          "1e308",
          "1.0e309",
          "1e400",
          "-1e400",
          "1e-400",
          "4.9e-324",
          "3.5e38",
          "1e999999999",
          "1e-999999999",
          "1.0e99999999999",
          "true",
          "false",
          "253402300800000",
          "253402300800000000",
          "9223372036825200000",
          "2147483647000");

  private static final List<String> TEXTS =
      List.of(
          "",
          "a",
          "12",
          "1234",
          "1.5",
          "NaN",
          "Infinity",
          "-Infinity",
          "true",
          "null",
          "AQI=",
          "BAg=",
          "====",
          "2026-05-23",
          "2026-05-23T10:00:00Z",
          "2026-05-23T25:61:00Z",
          "+999999999-12-31T23:59:59Z",
          "0000-00-00",
          "10:30:00Z",
          "infinity",
          "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
          "{\"a\":1}",
          "\u0000",
          "\ud83d\ude00",
          "\ud800",
          "x\udc00y",
          "__debezium_unavailable_value",
          "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==",
          "c",
          "u",
          "d",
          "r",
          "t",
          "m",
          "x",
          "cc",
          "postgresql",
          "mysql",
          "struct",
          "int64",
          "map",
          "io.debezium.time.MicroTimestamp",
          "org.apache.kafka.connect.data.Decimal");

  private static final byte[][] BROKEN = {
    {(byte) 0xff},
    {(byte) 0xc0, (byte) 0x80},
    {(byte) 0xed, (byte) 0xa0, (byte) 0x80},
    {(byte) 0xf5, (byte) 0x90, (byte) 0x80, (byte) 0x80},
    {(byte) 0xc3},
    {0},
    {(byte) 0xef, (byte) 0xbb, (byte) 0xbf},
    {(byte) 0xfe, (byte) 0xff},
    {(byte) 0xfe, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f},
    {
      (byte) 0xff,
      (byte) 0xff,
      (byte) 0xff,
      (byte) 0xff,
      (byte) 0xff,
      (byte) 0xff,
      (byte) 0xff,
      (byte) 0xff,
      (byte) 0xff,
      1
    }
  };

  private final Random random;

  Wounds(Random random) {
    this.random = random;
  }

  <T> T one(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  /** Any value, at times a deep or a long one. */
  @Nullable Object value(int depth) {
    int kind = random.nextInt(depth > 3 ? 8 : 12);
    return switch (kind) {
      case 0 -> null;
      case 1, 2, 3 -> new Raw(one(NUMBERS));
      case 4, 5, 6 -> one(TEXTS);
      case 7 -> odd();
      case 8, 9 -> {
        Fields fields = new Fields();
        for (int i = random.nextInt(4); i > 0; i--) {
          fields.with(name(), value(depth + 1));
        }
        yield fields;
      }
      default -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          list.add(value(depth + 1));
        }
        yield list;
      }
    };
  }

  /** A seldom value: long, deep, or no JSON at all. */
  private @Nullable Object odd() {
    return switch (random.nextInt(40)) {
      case 0 -> "x".repeat(1 << random.nextInt(18));
      case 1 -> "é".repeat(1 << random.nextInt(16));
      case 2 -> new Raw("[".repeat(one(List.of(900, 1_100, 20_000))));
      case 3 -> nested(one(List.of(20, 400, 990, 1_001)));
      case 4 -> new Raw("9".repeat(1 << random.nextInt(15)));
      case 5 -> new Raw(one(List.of("NaN", "tru", "01", "+1", ".5", "'a'", "", "1e", "/**/1")));
      default -> new Raw(String.valueOf(random.nextLong()));
    };
  }

  private static @Nullable Object nested(int depth) {
    Object value = new Raw("1");
    for (int i = 0; i < depth; i++) {
      value = i % 2 == 0 ? new ArrayList<>(List.of(value)) : new Fields().with("a", value);
    }
    return value;
  }

  String name() {
    return random.nextInt(3) == 0 ? one(NAMES) : "c" + random.nextInt(20);
  }

  /** Changes an object somewhere within a document; the document is not changed. */
  @Nullable Object wounded(@Nullable Object document) {
    if (document instanceof Fields fields) {
      boolean here = fields.isEmpty() || random.nextInt(4) == 0;
      if (here) {
        return changed(fields);
      }
      Fields copy = new Fields();
      copy.addAll(fields);
      int at = random.nextInt(copy.size());
      Field field = copy.get(at);
      copy.set(at, new Field(field.name(), wounded(field.value())));
      return copy;
    }
    if (document instanceof List<?> list && !list.isEmpty()) {
      List<@Nullable Object> copy = new ArrayList<>(list);
      int at = random.nextInt(copy.size());
      copy.set(at, wounded(copy.get(at)));
      return copy;
    }
    return value(0);
  }

  private Fields changed(Fields fields) {
    Fields copy = new Fields();
    copy.addAll(fields);
    if (copy.isEmpty()) {
      return copy.with(name(), value(0));
    }
    int at = random.nextInt(copy.size());
    Field field = copy.get(at);
    switch (random.nextInt(9)) {
      case 0 -> copy.remove(at);
      case 1 -> copy.set(at, new Field(name(), field.value()));
      case 2 -> copy.add(random.nextInt(copy.size() + 1), new Field(name(), value(0)));
      case 3 -> copy.set(at, new Field(field.name(), value(0)));
      case 4 -> copy.set(at, new Field(field.name(), null));
      case 5 -> copy.add(random.nextInt(copy.size() + 1), new Field(field.name(), value(0)));
      case 6 -> Collections.shuffle(copy, random);
      case 7 -> copy.set(at, new Field(field.name(), new Fields().with(name(), field.value())));
      default -> {
        int other = random.nextInt(copy.size());
        Field second = copy.get(other);
        copy.set(at, new Field(field.name(), second.value()));
        copy.set(other, new Field(second.name(), field.value()));
      }
    }
    return copy;
  }

  /** Damages bytes. */
  byte[] wounded(byte[] bytes) {
    if (bytes.length == 0) {
      return one(List.of(BROKEN));
    }
    int at = random.nextInt(bytes.length);
    int length = random.nextInt(Math.min(16, bytes.length - at) + 1);
    return switch (random.nextInt(8)) {
      case 0 -> Arrays.copyOf(bytes, at);
      case 1 -> with(bytes, at, (byte) random.nextInt(256));
      case 2 -> with(bytes, at, (byte) "0123456789\"{}[],:.-ntfe\\".charAt(random.nextInt(24)));
      case 3 -> spliced(bytes, at, at + length, new byte[0]);
      case 4 -> spliced(bytes, at, at, Arrays.copyOfRange(bytes, at, at + length));
      case 5 -> spliced(bytes, at, at, one(List.of(BROKEN)));
      case 6 -> spliced(bytes, 0, 0, one(List.of(BROKEN)));
      default ->
          random.nextInt(8) == 0
              ? new String(bytes, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_16BE)
              : with(bytes, at, bytes[random.nextInt(bytes.length)]);
    };
  }

  private static byte[] with(byte[] bytes, int at, byte value) {
    byte[] copy = bytes.clone();
    copy[at] = value;
    return copy;
  }

  private static byte[] spliced(byte[] bytes, int from, int until, byte[] between) {
    byte[] copy = Arrays.copyOf(bytes, bytes.length - (until - from) + between.length);
    System.arraycopy(between, 0, copy, from, between.length);
    System.arraycopy(bytes, until, copy, from + between.length, bytes.length - until);
    return copy;
  }
}
