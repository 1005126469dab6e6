package io.onceberg.it.real;

import io.onceberg.it.real.ZooColumn.Form;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A table with a column of every type of Postgres that Debezium sends. */
final class Zoo {
  private static final String TEXT = "%c::text";
  private static final String OUTPUT = "case when %c is not null then format('%s', %c) end";
  private static final String STRING = "cast(%c as string)";
  private static final String EPOCH = "extract(epoch from %c) * 1000000";
  private static final String EPOCH_MILLIS = "floor(extract(epoch from %c) * 1000) * 1000";
  private static final String MICROS = "unix_micros(cast(%c as timestamp))";
  private static final String DAY_CLOCK = "to_char(%c, 'HH24:MI:SS.US')";

  private static final List<ZooColumn> SMALL =
      List.of(
          number("small", "smallint", "7", "32767", "-32768"),
          number("whole", "integer", "7", "2147483647", "-2147483648"),
          number("big", "bigint", "7", "9223372036854775807", "-9223372036854775808"),
          number(
              "amount",
              "numeric(38,10)",
              "-0.5",
              "9999999999999999999999999999.9999999999",
              "-9999999999999999999999999999.9999999999"),
          number("price", "numeric(10,2)", "19.90", "99999999.99", "-0.01"),
          number("hundreds", "numeric(5,-2)", "12300", "9999900", "-100"),
          number(
              "free",
              "numeric",
              "12.345",
              "12345678901234567890.123456789012345678",
              "-0.000000000000000001"),
          new ZooColumn(
              "cash",
              "money",
              Form.NUMBER,
              "%c::numeric::text",
              STRING,
              List.of("12.34", "90071992547409.93", "-0.01")),
          column("single", "real", Form.REAL, TEXT, STRING, "'1.1'", "'3.4028235e38'", "'-0.5'"),
          column(
              "twice",
              "double precision",
              Form.TEXT,
              TEXT,
              "trim(trailing '0' from " + STRING + ")",
              "0.1",
              "1.25",
              "-0.5"),
          column(
              "nan",
              "double precision",
              Form.TEXT,
              TEXT,
              STRING,
              "'NaN'",
              "'Infinity'",
              "'-Infinity'"),
          column("flag", "boolean", Form.TEXT, TEXT, STRING, "true", "false", "true"),
          column("fixed", "char(5)", Form.TEXT, OUTPUT, STRING, "'ab'", "'abcde'", "''"),
          column("bounded", "varchar(20)", Form.TEXT, TEXT, STRING, "'Ünïcödé'", "'😀'", "''"),
          column(
              "free_text",
              "text",
              Form.TEXT,
              TEXT,
              STRING,
              "E'a\"b\\\\c\\nd\\te'",
              "'null'",
              "' '"),
          column("folded", "citext", Form.TEXT, TEXT, STRING, "'MiXed'", "'UP'", "''"),
          column(
              "raw",
              "bytea",
              Form.TEXT,
              "encode(%c, 'hex')",
              "lower(hex(%c))",
              "'\\x00ff10'",
              "'\\xdeadbeef'",
              "'\\x'"),
          column(
              "day",
              "date",
              Form.TEXT,
              TEXT,
              STRING,
              "'2026-05-23'",
              "'9999-12-31'",
              "'0001-01-01'"),
          column(
              "clock",
              "time",
              Form.TIME,
              DAY_CLOCK,
              STRING,
              "'10:30:00.123456'",
              "'23:59:59.999999'",
              "'00:00:00'"),
          column(
              "clock3",
              "time(3)",
              Form.TIME,
              DAY_CLOCK,
              STRING,
              "'10:30:00.123'",
              "'23:59:59.999'",
              "'00:00:00'"),
          column(
              "zoned_clock",
              "timetz",
              Form.TIME,
              "timezone('UTC', %c)::time::text",
              STRING,
              "'10:30:00.5+02'",
              "'23:59:59.999999-10'",
              "'00:00:00+00'"),
          column(
              "at3",
              "timestamp(3)",
              Form.NUMBER,
              EPOCH,
              MICROS,
              "'2026-05-23 10:00:00.123'",
              "'9999-12-31 23:59:59.999'",
              "'0001-01-01 00:00:00.001'"),
          column(
              "at6",
              "timestamp",
              Form.NUMBER,
              EPOCH,
              MICROS,
              "'2026-05-23 10:00:00.123456'",
              "'9999-12-31 23:59:59.999999'",
              "'1970-01-01'"),
          column(
              "instant",
              "timestamptz",
              Form.NUMBER,
              EPOCH,
              MICROS,
              "'2026-05-23 10:00:00.123456+02'",
              "'9999-12-31 23:59:59.999999+00'",
              "'1969-12-31 23:59:59.999999+00'"),
          column(
              "span",
              "interval",
              Form.NUMBER,
              EPOCH,
              STRING,
              "'1 day 02:03:04.5'",
              "'-3 hours'",
              "'00:00:00.000001'"),
          column(
              "uid",
              "uuid",
              Form.TEXT,
              TEXT,
              STRING,
              "'0f8fad5b-d9cb-469f-a165-70867728950e'",
              "'FFFFFFFF-ffff-ffff-ffff-ffffffffffff'",
              "'00000000-0000-0000-0000-000000000000'"),
          column(
              "doc",
              "json",
              Form.TEXT,
              TEXT,
              STRING,
              "'{\"b\": 1,  \"a\":[1.0, null]}'",
              "'\"text\"'",
              "'null'"),
          column(
              "bdoc",
              "jsonb",
              Form.TEXT,
              TEXT,
              STRING,
              "'{\"b\":1,\"a\":[1.0,null]}'",
              "'12345678901234567890.123'",
              "'[]'"),
          column("page", "xml", Form.TEXT, TEXT, STRING, "'<a b=\"c\">d</a>'", "'<x/>'", "'text'"),
          column(
              "host",
              "inet",
              Form.TEXT,
              OUTPUT,
              STRING,
              "'10.0.0.1'",
              "'2001:db8::1/64'",
              "'10.1.2.3/8'"),
          column(
              "net",
              "cidr",
              Form.TEXT,
              OUTPUT,
              STRING,
              "'10.0.0.0/8'",
              "'2001:db8::/32'",
              "'0.0.0.0/0'"),
          column(
              "mac",
              "macaddr",
              Form.TEXT,
              OUTPUT,
              STRING,
              "'08:00:2b:01:02:03'",
              "'ff:ff:ff:ff:ff:ff'",
              "'00:00:00:00:00:00'"),
          column("one", "bit(1)", Form.TEXT, "(%c = B'1')::text", STRING, "B'1'", "B'0'", "B'1'"),
          column(
              "eight",
              "bit(8)",
              Form.BITS,
              "lpad(to_hex(%c::int), 2, '0')",
              "lower(hex(%c))",
              "B'00000101'",
              "B'11111111'",
              "B'00000000'"),
          column(
              "bits",
              "bit varying(16)",
              Form.BITS,
              "encode(substr(int4send(lpad(%c::text, 32, '0')::bit(32)::int), 4, 1)"
                  + " || substr(int4send(lpad(%c::text, 32, '0')::bit(32)::int), 3, 1), 'hex')",
              "lower(hex(%c))",
              "B'101'",
              "B'1111111111111111'",
              "B'100000001'"),
          column("span4", "int4range", Form.TEXT, OUTPUT, STRING, "'[1,5)'", "'(,)'", "'empty'"),
          column(
              "span_at",
              "tstzrange",
              Form.TEXT,
              OUTPUT,
              STRING,
              "'[2026-01-01 00:00:00+00,2026-01-02 00:00:00+00)'",
              "'(,)'",
              "'empty'"),
          column(
              "ints",
              "int[]",
              Form.JSON,
              "array_to_json(%c)::text",
              "to_json(%c)",
              "'{1,null,-3}'",
              "'{2147483647}'",
              "'{}'"),
          column(
              "words",
              "text[]",
              Form.JSON,
              "array_to_json(%c)::text",
              "to_json(%c)",
              "'{a,null,\"b,\\\"c\"}'",
              "'{\"null\"}'",
              "'{}'"),
          column(
              "numbers",
              "numeric[]",
              Form.NUMBERS,
              "array_to_json(%c)::text",
              "to_json(%c)",
              "'{1.5,null,-0.25}'",
              "'{12345678901234567890.123456789}'",
              "'{}'"),
          column(
              "prices",
              "numeric(10,2)[]",
              Form.NUMBERS,
              "array_to_json(%c)::text",
              "to_json(%c)",
              "'{1.5,null}'",
              "'{99999999.99}'",
              "'{}'"),
          column(
              "days",
              "date[]",
              Form.JSON,
              "array_to_json(%c)::text",
              "to_json(%c)",
              "'{2026-05-23,null}'",
              "'{9999-12-31}'",
              "'{}'"),
          column(
              "attributes",
              "hstore",
              Form.JSON,
              "hstore_to_json(%c)::text",
              STRING,
              "'a=>1, b=>NULL'",
              "'\"x y\"=>\"é\"'",
              "''"),
          column("path", "ltree", Form.TEXT, TEXT, STRING, "'a.b.c'", "'top'", "''"),
          column(
              "spot",
              "point",
              Form.NUMBERS,
              "case when %c is not null then format('[%s,%s]', %c[0], %c[1]) end",
              "case when %c is not null then to_json(array(%c.x, %c.y)) end",
              "'(1.5,-2)'",
              "'(0.1,0.2)'",
              "'(0,0)'"),
          column("search", "tsvector", Form.TEXT, TEXT, STRING, "'a fat cat'", "'x:1A y:2'", "''"),
          column("mood", "mood", Form.TEXT, TEXT, STRING, "'ok'", "'so so'", "'sad'"));

  /** Columns that are kept outside of the row, so that an update may leave them out. */
  private static final List<ZooColumn> LARGE =
      List.of(
          large("large", "text", "md5(%c)", "md5(%c)", "repeat('0123456789', 2048)"),
          large(
              "large_raw",
              "bytea",
              "md5(%c)",
              "md5(%c)",
              "convert_to(repeat('0123456789', 2048), 'UTF8')"),
          large(
              "large_words",
              "text[]",
              "md5(array_to_string(%c, ','))",
              "md5(array_join(%c, ','))",
              "array[repeat('0123456789', 2048), 'end']"),
          large(
              "large_ints",
              "int[]",
              "md5(array_to_string(%c, ','))",
              "md5(array_join(%c, ','))",
              "(select array_agg(g) from generate_series(1, 5000) g)"),
          large(
              "large_doc",
              "jsonb",
              "md5(%c::text)",
              "md5(%c)",
              "jsonb_build_object('a', repeat('0123456789', 2048))"));

  private Zoo() {}

  static List<ZooColumn> columns() {
    List<ZooColumn> all = new ArrayList<>(SMALL);
    all.addAll(LARGE);
    return all;
  }

  /** What the database holds once what Debezium's millisecond modes do not carry is gone. */
  static List<ZooColumn> columnsInMillis() {
    Map<String, String> coarse =
        Map.of(
            "at6",
            EPOCH_MILLIS,
            "clock",
            "to_char(%c, 'HH24:MI:SS.MS')",
            "clock3",
            "to_char(%c, 'HH24:MI:SS.MS')");
    return columns().stream()
        .map(c -> coarse.containsKey(c.name()) ? c.withDatabase(coarse.get(c.name())) : c)
        .toList();
  }

  static List<String> largeNames() {
    return LARGE.stream().map(ZooColumn::name).toList();
  }

  static List<String> ddl() {
    List<String> statements = new ArrayList<>();
    for (String extension : List.of("citext", "hstore", "ltree")) {
      statements.add("create extension " + extension);
    }
    statements.add("create type mood as enum ('sad', 'so so', 'ok')");
    statements.add(
        columns().stream()
            .map(c -> c.name() + " " + c.type())
            .collect(Collectors.joining(", ", "create table zoo (id bigint primary key, ", ")")));
    largeNames()
        .forEach(c -> statements.add("alter table zoo alter " + c + " set storage external"));
    return statements;
  }

  /** An insert of the ordinary values (0) or of extremes (1, 2). */
  static String insert(int id, int choice) {
    return columns().stream()
        .map(c -> c.values().get(Math.min(choice, c.values().size() - 1)))
        .collect(Collectors.joining(", ", "insert into zoo values (" + id + ", ", ")"));
  }

  private static ZooColumn number(String name, String type, String... values) {
    return column(name, type, Form.NUMBER, TEXT, STRING, values);
  }

  private static ZooColumn large(
      String name, String type, String database, String spark, String value) {
    return column(name, type, Form.TEXT, database, spark, value);
  }

  private static ZooColumn column(
      String name, String type, Form form, String database, String spark, String... values) {
    return new ZooColumn(name, type, form, database, spark, List.of(values));
  }
}
