package io.onceberg.keystore;

import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.sql.Date;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TableSchemasTest {
  private static final Type BIGINT = Types.LongType.get();
  private static final Type INT = Types.IntegerType.get();
  private static final Type TEXT = Types.StringType.get();

  private static TableSchemas schemas(TargetSettings settings) {
    return new TableSchemas(Lakehouse.CATALOG, settings);
  }

  private static Types.StructType struct(Object... namesAndTypes) {
    List<NestedField> fields = new ArrayList<>();
    for (int i = 0; i < namesAndTypes.length; i += 2) {
      fields.add(optional(i + 1, (String) namesAndTypes[i], (Type) namesAndTypes[i + 1]));
    }
    return Types.StructType.of(fields);
  }

  private static SourceSchema source(Object... namesAndTypes) {
    return new SourceSchema(struct(namesAndTypes), null);
  }

  private static List<String> names(Table table) {
    return table.schema().columns().stream().map(NestedField::name).toList();
  }

  private static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            OncebergException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }

  private static void drop(TargetTables tables, String suffix) {
    Lakehouse.CATALOG.dropTable(
        TableIdentifier.of(tables.name().namespace(), tables.name().table() + suffix));
  }

  @Test
  void makesThreeMarkedTablesOnceAndFindsThemAgain() {
    TargetSettings settings = Lakehouse.changelog("loaded_date");
    assertThat(schemas(settings).load()).isEmpty();
    TargetTables made = schemas(settings).create();
    TargetTables again = schemas(settings).create();
    assertThat(again.rows().uuid()).isEqualTo(made.rows().uuid());

    TargetTables found = schemas(settings).load().orElseThrow();
    assertThat(names(found.rows())).containsExactly("_cdc", "loaded_date");
    assertThat(names(found.keys()))
        .containsExactly(
            "epoch", "source", "lsn", "tx_id", "op", "content_hash", "ordinal", "loaded_date");
    assertThat(found.keys().properties())
        .containsEntry("onceberg.role", "keys")
        .containsEntry("onceberg.kind", "changelog")
        .containsEntry("onceberg.identity-version", "2")
        .containsEntry("write.metadata.metrics.default", "full");
    for (Table table : List.of(found.rows(), found.keys(), found.quarantine())) {
      assertThat(table.spec().fields())
          .extracting(PartitionField::name)
          .containsExactly("loaded_date");
      assertThat(table.properties())
          .containsEntry("write.parquet.compression-codec", "zstd")
          .containsEntry("write.metadata.delete-after-commit.enabled", "true");
    }
    assertThat(schemas(settings).layout(found)).isEqualTo(TargetLayout.EMPTY);
  }

  /** Two daemons that meet the first rows at once. */
  @ParameterizedTest
  @EnumSource(TargetKind.class)
  void columnsThatSomeoneElseHasAddedMeanwhileAreTaken(TargetKind kind) {
    TargetSettings settings =
        kind == TargetKind.EVENTS ? Lakehouse.events("id") : Lakehouse.changelog("day");
    SourceSchema found = new SourceSchema(struct("id", INT, "day", TEXT), struct("id", INT));
    TargetTables mine = schemas(settings).create();
    TargetTables theirs = schemas(settings).load().orElseThrow();
    schemas(settings).evolve(theirs, List.of(found));

    SourceSchema more =
        new SourceSchema(struct("id", BIGINT, "day", TEXT, "note", TEXT), struct("id", BIGINT));
    schemas(settings).evolve(mine, List.of(more));
    assertThat(names(mine.rows())).containsExactly("id", "day", "note", "_cdc", "loaded_date");
    assertThat(mine.rows().schema().findType("id")).isEqualTo(BIGINT);
    assertThat(mine.keys().schema().findType(kind == TargetKind.EVENTS ? "id" : "key.id"))
        .isEqualTo(BIGINT);
    assertThat(mine.rows().spec()).isEqualTo(theirs.rows().spec());
    TargetTables loaded = schemas(settings).load().orElseThrow();
    assertThat(loaded.rows().schema().sameSchema(mine.rows().schema())).isTrue();
    assertThat(loaded.keys().schema().sameSchema(mine.keys().schema())).isTrue();
  }

  @Test
  void makesNestedNamespaces() {
    TargetSettings settings =
        new TargetSettings(
            TargetName.parse("deep.er.orders"),
            TargetKind.CHANGELOG,
            List.of(),
            List.of(),
            1,
            NewColumns.APPEND,
            Map.of());
    schemas(settings).create();
    assertThat(((SupportsNamespaces) Lakehouse.CATALOG).namespaceExists(Namespace.of("deep", "er")))
        .isTrue();
  }

  @Fault(
      area = Area.KILL,
      what = "the process dies while the tables of a target are made",
      outcome = "the next start makes those that lack")
  @Test
  void completesACreationThatWasCutShort() {
    TargetSettings settings = Lakehouse.changelog();
    TargetTables tables = schemas(settings).create();
    drop(tables, "");
    assertThat(schemas(settings).load()).isEmpty();
    assertThat(schemas(settings).create().keys().uuid()).isEqualTo(tables.keys().uuid());
    assertThat(schemas(settings).load()).isPresent();
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "a table of the name exists and was not made by Onceberg",
      outcome = "OB-401, it is not touched")
  @Test
  void refusesAForeignTable() {
    TargetSettings settings = Lakehouse.changelog();
    Lakehouse.sql("create namespace if not exists onceberg.db");
    Lakehouse.sql("create table onceberg." + settings.name() + "_keys (a int) using iceberg");
    assertRefused(ErrorCode.FOREIGN_TABLE, () -> schemas(settings).load());
    assertRefused(ErrorCode.FOREIGN_TABLE, () -> schemas(settings).create());
  }

  @Fault(
      area = Area.MAINTENANCE,
      what = "the keys table was made by another rule",
      outcome = "OB-409, the target stops")
  @Test
  void refusesTablesOfAnotherIdentityRule() {
    TargetSettings settings = Lakehouse.events("a");
    schemas(settings).create();
    TargetSettings other =
        new TargetSettings(
            settings.name(),
            TargetKind.EVENTS,
            List.of("a", "b"),
            List.of(),
            1,
            NewColumns.APPEND,
            Map.of());
    assertRefused(ErrorCode.IDENTITY_VERSION, () -> schemas(other).load());
    Lakehouse.sql(
        "alter table onceberg."
            + settings.name()
            + "_keys set tblproperties ('onceberg.identity-version' = '3')");
    assertRefused(ErrorCode.IDENTITY_VERSION, () -> schemas(settings).load());
  }

  @Test
  void saysWhichTableIsGone() {
    TableSchemas schemas = schemas(Lakehouse.changelog());
    TargetTables tables = schemas.create();
    drop(tables, "_quarantine");
    assertRefused(ErrorCode.TABLE_MISSING, schemas::load);
    drop(tables, "_keys");
    drop(tables, "");
    assertRefused(ErrorCode.TABLE_MISSING, schemas::load);
  }

  @Test
  void missesTheRowsTableWhenKeysWereStored() {
    TargetSettings settings = Lakehouse.changelog();
    TargetTables tables = schemas(settings).create();
    tables.keys().newFastAppend().commit();
    drop(tables, "");
    assertRefused(ErrorCode.TABLE_MISSING, () -> schemas(settings).load());
  }

  @Fault(
      area = Area.COMMIT,
      what = "another daemon makes the tables and commits while they are being looked for",
      outcome = "they are found")
  @Test
  void findsTablesThatAreMadeBetweenTwoLooks() {
    TargetSettings settings = Lakehouse.changelog();
    Runnable other = () -> schemas(settings).create().keys().newFastAppend().commit();
    assertThat(new TableSchemas(meddling(settings.name().keys(), other), settings).load())
        .isPresent();
  }

  @Test
  void aKeysTableThatIsBeingMadeIsNotALostOne() {
    TargetSettings one = Lakehouse.changelog();
    TargetSettings other = Lakehouse.changelog();
    Catalog beforeRows = meddling(one.name().rows(), () -> schemas(one).create());
    assertThat(new TableSchemas(beforeRows, one).lacksKeysOnly()).isFalse();
    Catalog beforeKeys = meddling(other.name().keys(), () -> schemas(other).create());
    assertThat(new TableSchemas(beforeKeys, other).lacksKeysOnly()).isFalse();
    drop(schemas(one).load().orElseThrow(), "_keys");
    assertThat(schemas(one).lacksKeysOnly()).isTrue();
  }

  /** The catalog, and what someone else does just before a table is loaded for the first time. */
  private static Catalog meddling(TableIdentifier before, Runnable other) {
    AtomicBoolean done = new AtomicBoolean();
    return (Catalog)
        Proxy.newProxyInstance(
            Catalog.class.getClassLoader(),
            new Class<?>[] {Catalog.class},
            (proxy, method, args) -> {
              if (method.getName().equals("loadTable")
                  && args[0].equals(before)
                  && !done.getAndSet(true)) {
                other.run();
              }
              try {
                return method.invoke(Lakehouse.CATALOG, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void noticesALostColumnUntilTheLossIsAccepted() {
    TargetSettings settings = Lakehouse.changelog();
    TableSchemas schemas = schemas(settings);
    schemas.evolve(schemas.create(), List.of(source("id", BIGINT, "v", TEXT)));
    Lakehouse.sql("alter table onceberg." + settings.name() + " drop column v");
    assertRefused(ErrorCode.COLUMN_LOST, schemas::load);
    Lakehouse.sql(
        "alter table onceberg." + settings.name() + " unset tblproperties ('onceberg.schema-id')");
    assertThat(schemas.load()).isPresent();
    Lakehouse.sql("alter table onceberg." + settings.name() + " drop column _cdc.offset");
    assertRefused(ErrorCode.COLUMN_LOST, () -> schemas.pin(schemas.load().orElseThrow()));
  }

  @Test
  void addsColumnsBeforeItsOwnAndWidensTypes() {
    TableSchemas schemas = schemas(Lakehouse.changelog());
    TargetTables tables = schemas.create();
    schemas.evolve(
        tables,
        List.of(
            new SourceSchema(
                struct("id", INT, "price", Types.DecimalType.of(9, 2), "v", TEXT, "n", INT),
                struct("id", INT))));
    schemas.evolve(
        tables,
        List.of(
            new SourceSchema(
                struct("v", INT, "new", INT, "id", BIGINT, "price", Types.DecimalType.of(20, 2)),
                struct("id", BIGINT, "part.2", TEXT)),
            source("new", BIGINT, "tags", Types.ListType.ofOptional(1, TEXT), "v", BIGINT)));

    TargetLayout layout = schemas.layout(tables);
    assertThat(names(tables.rows()))
        .containsExactly("id", "price", "v", "n", "new", "tags", "_cdc", "loaded_date");
    assertThat(layout.columns().field("id").type()).isEqualTo(BIGINT);
    assertThat(layout.columns().field("price").type()).isEqualTo(Types.DecimalType.of(20, 2));
    assertThat(layout.columns().field("v").type()).isEqualTo(TEXT);
    assertThat(layout.columns().field("new").type()).isEqualTo(BIGINT);
    assertThat(layout.columns().fields()).allMatch(NestedField::isOptional);
    assertThat(Objects.requireNonNull(layout.key()).fields())
        .extracting(NestedField::name, NestedField::type)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("id", BIGINT),
            org.assertj.core.groups.Tuple.tuple("part.2", TEXT));
    assertThat(schemas.pin(tables).identityType().fieldNames())
        .containsExactly("epoch", "source", "lsn", "tx_id", "op", "key", "content_hash", "ordinal");

    int version = tables.rows().schema().schemaId();
    schemas.evolve(tables, List.of(source("id", INT)));
    assertThat(tables.rows().schema().schemaId()).isEqualTo(version);
  }

  @Test
  void typesAnEventKeyAsTheRowsHaveIt() {
    TableSchemas schemas = schemas(Lakehouse.events("b", "a"));
    TargetTables tables = schemas.create();
    schemas.evolve(tables, List.of(source("a", INT, "v", TEXT)));
    assertThat(names(tables.keys()))
        .containsExactly("a", "key_hash", "payload_hash", "loaded_date");
    schemas.evolve(tables, List.of(source("a", BIGINT, "b", TEXT)));
    schemas.evolve(tables, List.of(source("a", TEXT, "b", TEXT)));
    assertThat(tables.keys().schema().findType("a")).isEqualTo(BIGINT);
    assertThat(order(tables.keys())).containsExactly("key_hash");
    assertThat(schemas.pin(tables).identityType().fieldNames())
        .containsExactly("b", "a", "key_hash");
    assertThat(schemas.layout(tables).key()).isNull();
  }

  @Test
  void ordersASingleEventKeyByItself() {
    TableSchemas schemas = schemas(Lakehouse.events("a"));
    TargetTables tables = schemas.create();
    schemas.evolve(tables, List.of(source("a", INT, "key_hash", TEXT)));
    assertThat(names(tables.keys())).containsExactly("a", "payload_hash", "loaded_date");
    assertThat(order(tables.keys())).containsExactly("a");
  }

  @Test
  void tablesOfTheFirstVersionStayAsTheyAre() {
    TargetSettings settings = Lakehouse.events("b", "key_hash");
    OldTables.createKeys(settings);
    TableSchemas schemas = schemas(settings);
    TargetTables tables = schemas.create();
    schemas.evolve(tables, List.of(source("b", INT, "key_hash", TEXT)));
    assertThat(names(tables.keys()))
        .containsExactly("b", "key_hash", "payload_hash", "loaded_date");
    assertThat(order(tables.keys())).containsExactly("b", "key_hash");
    TaskTarget pinned = schemas(settings).pin(schemas(settings).load().orElseThrow());
    assertThat(pinned.identityVersion()).isEqualTo(1);
    assertThat(pinned.identityType().fieldNames()).containsExactly("b", "key_hash");
  }

  private static List<String> order(Table table) {
    return table.sortOrder().fields().stream()
        .map(field -> table.schema().findColumnName(field.sourceId()))
        .toList();
  }

  @Test
  void anotherWritersEvolutionIsKept() {
    TargetSettings settings = Lakehouse.changelog();
    TableSchemas schemas = schemas(settings);
    TargetTables mine = schemas.create();
    TargetTables theirs = schemas(settings).load().orElseThrow();
    schemas(settings).evolve(theirs, List.of(source("theirs", INT)));
    schemas.evolve(mine, List.of(source("mine", INT, "theirs", INT)));
    assertThat(names(mine.rows())).containsExactly("theirs", "mine", "_cdc", "loaded_date");
  }

  @Test
  void refusesNamesThatItUsesItself() {
    TableSchemas schemas = schemas(Lakehouse.changelog());
    TargetTables tables = schemas.create();
    for (String name : List.of("_cdc", "loaded_date", "_cdc.op")) {
      assertRefused(
          ErrorCode.SCHEMA_INCOMPATIBLE, () -> schemas.evolve(tables, List.of(source(name, INT))));
    }
    for (String name : List.of("payload_hash", "key_hash")) {
      TableSchemas events = schemas(Lakehouse.events("a", name));
      TargetTables made = events.create();
      assertRefused(
          ErrorCode.SCHEMA_INCOMPATIBLE, () -> events.evolve(made, List.of(source(name, INT))));
    }
  }

  @Test
  void followsThePolicyForNewColumns() {
    for (NewColumns policy : List.of(NewColumns.IGNORE, NewColumns.FAIL)) {
      TargetSettings settings =
          new TargetSettings(
              Lakehouse.name(), TargetKind.CHANGELOG, List.of(), List.of(), 1, policy, Map.of());
      TableSchemas schemas = schemas(settings);
      TargetTables tables = schemas.evolve(schemas.create(), List.of(source("id", INT)));
      ThrowingCallable add =
          () -> schemas.evolve(tables, List.of(source("id", BIGINT, "new", TEXT)));
      if (policy == NewColumns.FAIL) {
        assertRefused(ErrorCode.SCHEMA_CHANGE_REFUSED, add);
      } else {
        assertThat(add).satisfies(ThrowingCallable::call);
        assertThat(names(tables.rows())).containsExactly("id", "_cdc", "loaded_date");
        assertThat(tables.rows().schema().findType("id")).isEqualTo(BIGINT);
      }
    }
  }

  @Test
  void partitionsOnceTheColumnIsThere() {
    TableSchemas schemas = schemas(Lakehouse.changelog("days(at)", "loaded_date"));
    TargetTables tables = schemas.evolve(schemas.create(), List.of(source("id", INT)));
    assertThat(tables.rows().spec().isUnpartitioned()).isTrue();
    schemas.evolve(tables, List.of(source("at", Types.TimestampType.withZone())));
    assertThat(tables.rows().spec().fields())
        .extracting(PartitionField::name)
        .containsExactly("at_day", "loaded_date");
    assertRefused(
        ErrorCode.INVALID_SETTING,
        () -> {
          TableSchemas wrong = schemas(Lakehouse.changelog("days(id)"));
          wrong.evolve(wrong.create(), List.of(source("id", TEXT)));
        });
  }

  @Test
  void theUsersPropertiesWin() {
    TableSchemas schemas =
        schemas(
            Lakehouse.settings(
                TargetKind.CHANGELOG,
                List.of(),
                Map.of(
                    "write.parquet.compression-codec", "snappy",
                    "write.metadata.metrics.column.id", "full",
                    "onceberg.role", "mine")));
    TargetTables tables = schemas.create();
    assertThat(tables.rows().properties())
        .containsEntry("write.parquet.compression-codec", "snappy")
        .containsEntry("onceberg.role", "rows");
    schemas.evolve(tables, List.of(source("id", INT)));
    assertThat(tables.rows().properties())
        .containsEntry("write.metadata.metrics.column.id", "full");
  }

  @Test
  void aBatchMayWriteBeforeAndAfterAColumnWasAdded() {
    TableSchemas schemas = schemas(Lakehouse.changelog());
    TargetTables tables = schemas.evolve(schemas.create(), List.of(source("id", INT)));
    StagedFiles before = write(schemas.pin(tables), 1);
    schemas.evolve(tables, List.of(source("id", INT, "added", TEXT)));
    Lakehouse.append(tables, before.plus(write(schemas.pin(tables), 1, "filled")));
    assertThat(Lakehouse.sql("select id, added from onceberg." + tables.name() + " order by added"))
        .containsExactly(RowFactory.create(1, null), RowFactory.create(1, "filled"));
  }

  @Test
  void anyNameAndAThousandColumnsAreReadBack() {
    List<String> names =
        Stream.concat(
                Stream.of(
                    "a.b",
                    "with space",
                    "Upper",
                    "upper",
                    "select",
                    "order",
                    "quote\"d",
                    "tick`s",
                    "naïve",
                    "1st",
                    "a-b",
                    "_",
                    "position",
                    "key",
                    "lsn",
                    "comma,",
                    "(x)"),
                IntStream.range(0, 983).mapToObj(i -> "c" + i))
            .toList();
    Types.StructType columns = struct(names.stream().flatMap(n -> Stream.of(n, INT)).toArray());
    TableSchemas schemas = schemas(Lakehouse.changelog("bucket(4, `a.b`)"));
    TargetTables tables =
        schemas.evolve(schemas.create(), List.of(new SourceSchema(columns, columns)));
    schemas.evolve(tables, List.of(source("a.b", BIGINT, "with space", BIGINT)));
    TaskTarget target = schemas.pin(tables);
    Object[] values =
        IntStream.range(0, names.size()).mapToObj(i -> i < 2 ? (Object) (long) i : i).toArray();
    Lakehouse.append(tables, write(target, values));

    Row row = Lakehouse.sql("select * from onceberg." + tables.name()).get(0);
    assertThat(row.schema().fieldNames()).startsWith(names.toArray(String[]::new));
    assertThat(IntStream.range(0, names.size()).mapToObj(row::get)).containsExactly(values);
  }

  @Test
  void theLargestUnsignedNumberKeepsItsValue() {
    TableSchemas schemas = schemas(Lakehouse.changelog());
    TargetTables tables =
        schemas.evolve(schemas.create(), List.of(source("u", Types.DecimalType.of(20, 0))));
    BigDecimal largest = new BigDecimal("18446744073709551615");
    Lakehouse.append(tables, write(schemas.pin(tables), largest));
    assertThat(Lakehouse.sql("select u, u + 1 from onceberg." + tables.name()))
        .containsExactly(RowFactory.create(largest, largest.add(BigDecimal.ONE)));
  }

  private static StagedFiles write(TaskTarget target, @Nullable Object... columns) {
    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 0);
    Stream<Object> tail = Stream.of(Date.valueOf(LocalDate.ofEpochDay(Lakehouse.TODAY)));
    Object[] values =
        Stream.concat(Stream.of(columns), Stream.concat(Stream.of((Object) null), tail)).toArray();
    writer.writeRow(Lakehouse.internal(target.rowType(), RowFactory.create(values)));
    return writer.finish();
  }
}
