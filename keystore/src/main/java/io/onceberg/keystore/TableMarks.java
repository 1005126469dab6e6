package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.TypeUtil;

/** The table properties by which a table is known to be made here, and for what. */
final class TableMarks {
  /** What a table is in its target. */
  enum Role {
    ROWS,
    KEYS,
    QUARANTINE;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The schema that the last evolution left behind; a later one without its columns lost some. */
  static final String SCHEMA_ID = "onceberg.schema-id";

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
    marks.put(KIND, settings.kind().name().toLowerCase(Locale.ROOT));
    marks.put(IDENTITY_VERSION, String.valueOf(CURRENT_IDENTITY_VERSION));
    marks.put(EVENT_KEY, String.join(",", settings.eventKey()));
    marks.put(SCHEMA_ID, "0");
    return marks;
  }

  /** Throws unless the table was made here, for this target, by the same identity rule. */
  static void check(Table table, TargetSettings settings, Role role) {
    String name = settings.name().toString();
    Map<String, String> actual = table.properties();
    if (!name.equals(actual.get(TARGET))) {
      throw new OncebergException(
          ErrorCode.FOREIGN_TABLE,
          "table %s exists and its property %s is %s, not '%s'; choose another target name, or move"
                  .formatted(table.name(), TARGET, actual.get(TARGET), name)
              + " that table out of the way");
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
