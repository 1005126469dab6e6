package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.types.TypeUtil;

/** The table properties by which a table is known to be made here, and for what. */
final class TableMarks {
  /** What a table is in its target. */
  enum Role {
    ROWS,
    KEYS,
    QUARANTINE;

    /** The table of this role in a target. */
    TableIdentifier of(TargetName target) {
      return switch (this) {
        case ROWS -> target.rows();
        case KEYS -> target.keys();
        case QUARANTINE -> target.quarantine();
      };
    }

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The schema that the last evolution left behind; a later one without its columns lost some. */
  static final String SCHEMA_ID = "onceberg.schema-id";

  /**
   * On a keys table: the first day whose keys are still there, in ISO form; absent when all are.
   */
  static final String DROPPED_BEFORE = "onceberg.keys-dropped-before";

  private static final String TARGET = "onceberg.target";
  private static final String ROLE = "onceberg.role";
  private static final String KIND = "onceberg.kind";
  private static final String IDENTITY_VERSION = "onceberg.identity-version";
  private static final String EVENT_KEY = "onceberg.event-key";

  /** What new tables get; those of every version down to 1 are kept by the rule they began with. */
  private static final int CURRENT_IDENTITY_VERSION = 2;

  private TableMarks() {}

  static Map<String, String> of(TargetSettings settings, Role role) {
    Map<String, String> marks = new LinkedHashMap<>();
    marks.put(TARGET, settings.name().toString());
    marks.put(ROLE, role.text());
    marks.put(KIND, text(settings.kind()));
    marks.put(IDENTITY_VERSION, String.valueOf(CURRENT_IDENTITY_VERSION));
    marks.put(EVENT_KEY, String.join(",", settings.eventKey()));
    marks.put(SCHEMA_ID, "0");
    return marks;
  }

  /**
   * What a keys table says of its target, for those who have no settings of it.
   *
   * @throws OncebergException when it was not made here for this target
   */
  static TargetSettings settings(Table keys, TargetName name, KeySettings kept) {
    Map<String, String> marks = keys.properties();
    String kind = marks.getOrDefault(KIND, "");
    String eventKey = marks.getOrDefault(EVENT_KEY, "");
    if (!isOf(keys, name)
        || Arrays.stream(TargetKind.values()).noneMatch(k -> text(k).equals(kind))) {
      throw foreign(keys, name.toString());
    }
    return new TargetSettings(
        name,
        TargetKind.valueOf(kind.toUpperCase(Locale.ROOT)),
        eventKey.isEmpty() ? List.of() : List.of(eventKey.split(",", -1)),
        List.of(),
        0,
        TargetSettings.NewColumns.APPEND,
        Map.of(),
        kept);
  }

  /** Whether a table says that it is a part of this target. */
  private static boolean isOf(Table table, TargetName name) {
    return name.toString().equals(table.properties().get(TARGET));
  }

  /** The targets whose keys tables lie in a namespace, by name; none when it does not exist. */
  static List<TargetName> targetsIn(Catalog catalog, Namespace namespace) {
    List<TableIdentifier> tables;
    try {
      tables = catalog.listTables(namespace);
    } catch (NoSuchNamespaceException e) {
      return List.of();
    }
    return tables.stream()
        .filter(table -> table.name().endsWith(TargetName.KEYS))
        .flatMap(table -> keysOf(catalog.loadTable(table)).stream())
        .sorted(Comparator.comparing(TargetName::toString))
        .toList();
  }

  /** The target whose keys table this is, if it is one. */
  private static Optional<TargetName> keysOf(Table table) {
    Map<String, String> marks = table.properties();
    return Optional.ofNullable(marks.get(TARGET))
        .filter(target -> Role.KEYS.text().equals(marks.get(ROLE)))
        .map(TargetName::parse);
  }

  private static String text(TargetKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static OncebergException foreign(Table table, String name) {
    return new OncebergException(
        ErrorCode.FOREIGN_TABLE,
        "table %s exists and its property %s is %s, not '%s'; choose another target name, or move"
                .formatted(table.name(), TARGET, table.properties().get(TARGET), name)
            + " that table out of the way");
  }

  /** Throws unless the table was made here, for this target, by the same identity rule. */
  static void check(Table table, TargetSettings settings, Role role) {
    Map<String, String> actual = table.properties();
    if (!isOf(table, settings.name())) {
      throw foreign(table, settings.name().toString());
    }
    Map<String, String> wanted = of(settings, role);
    wanted.remove(SCHEMA_ID);
    wanted.put(IDENTITY_VERSION, String.valueOf(identityVersion(table)));
    wanted.forEach(
        (mark, value) -> {
          if (!value.equals(actual.get(mark))) {
            throw new OncebergException(
                ErrorCode.IDENTITY_VERSION,
                "table %s was made with %s=%s, the settings want '%s'; set them back or give the"
                        .formatted(table.name(), mark, actual.get(mark), value)
                    + " target a new name");
          }
        });
    checkColumns(table);
  }

  /**
   * The version of the rule that a table's identities are made by; a target's is that of its keys.
   *
   * @throws OncebergException when the rule is not known here
   */
  static int identityVersion(Table table) {
    String mark = table.properties().get(IDENTITY_VERSION);
    for (int version = 1; version <= CURRENT_IDENTITY_VERSION; version++) {
      if (String.valueOf(version).equals(mark)) {
        return version;
      }
    }
    throw new OncebergException(
        ErrorCode.IDENTITY_VERSION,
        "table %s was made with %s=%s, this version knows 1 to %d; run the version that made it or a"
                .formatted(table.name(), IDENTITY_VERSION, mark, CURRENT_IDENTITY_VERSION)
            + " newer one, or give the target a new name");
  }

  /**
   * The first day whose keys a keys table still has, days since the epoch; empty when it has all.
   */
  static OptionalInt droppedBefore(Table keys) {
    String day = keys.properties().get(DROPPED_BEFORE);
    return day == null
        ? OptionalInt.empty()
        : OptionalInt.of((int) LocalDate.parse(day).toEpochDay());
  }

  /** Throws when a column that an earlier evolution left is gone. */
  private static void checkColumns(Table table) {
    String mark = table.properties().get(SCHEMA_ID);
    if (mark == null || mark.equals(String.valueOf(table.schema().schemaId()))) {
      return;
    }
    Schema before = table.schemas().get(Integer.parseInt(mark));
    if (before == null) {
      return;
    }
    for (String column : TypeUtil.indexByName(before.asStruct()).keySet()) {
      if (table.schema().findField(column) == null) {
        throw new OncebergException(
            ErrorCode.COLUMN_LOST,
            "table %s has lost column '%s' (dropped or renamed by someone else); rename it back, or"
                    .formatted(table.name(), column)
                + " accept the loss by removing the table property "
                + SCHEMA_ID);
      }
    }
  }
}
