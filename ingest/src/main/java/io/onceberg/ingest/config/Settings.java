package io.onceberg.ingest.config;

import io.onceberg.ingest.config.DedupPolicy.Conflict;
import io.onceberg.ingest.config.DedupPolicy.KeyReuse;
import io.onceberg.ingest.config.DedupPolicy.SnapshotRows;
import io.onceberg.ingest.config.DedupPolicy.Twins;
import io.onceberg.ingest.decode.DecodeSettings.Incompatible;
import io.onceberg.keystore.CatalogSettings.RequiredAtomicity;
import io.onceberg.keystore.KeySettings;
import io.onceberg.keystore.SnapshotSettings;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.util.List;
import java.util.regex.Pattern;

/** Every setting there is. What is not listed here is not a setting. */
final class Settings {
  static final String JSON_CONVERTER = "org.apache.kafka.connect.json.JsonConverter";

  static final Setting<String> BOOTSTRAP =
      Setting.text("kafka.bootstrap.servers", null, "The brokers to start from, `host:port,...`.");
  static final Setting<String> GROUP =
      Setting.text(
          "kafka.group.id",
          "onceberg",
          "The consumer group whose offsets are set after each commit, so that ordinary lag"
              + " monitors work. Progress itself is never read from it: it lies in the tables.");
  static final Setting<Long> POLL_TIMEOUT =
      Setting.number(
          "source.poll.timeout.ms",
          1_000,
          600_000,
          30_000,
          "How long Kafka may stay silent before the batch is given up and tried again (OB-201).");

  static final Setting<List<String>> TOPICS =
      Setting.list("topics", "The topics to read. Either this or `topics.regex`.");
  static final Setting<Pattern> TOPICS_REGEX =
      Setting.regex(
          "topics.regex",
          "Reads every topic whose whole name matches; a topic that appears later is taken up"
              + " while running. Do not let it match the connector's heartbeat, transaction and"
              + " schema history topics.");
  static final Setting<StartPolicy> TOPICS_START =
      Setting.choice(
          "topics.start",
          StartPolicy.class,
          StartPolicy.EARLIEST,
          "What happens to a topic that the target's ledger does not know: read from the first"
              + " offset that Kafka still has, or `fail` when Kafka no longer has offset 0.");
  static final Setting<String> NAMESPACE =
      Setting.text(
          "target.namespace",
          "cdc",
          "The Iceberg namespace of tables named without one. A topic's default table is the last"
              + " dotted part of its name. In SQL, a namespace named like the catalog needs both"
              + " names.");
  static final Setting<Long> EPOCH =
      Setting.number(
          "source.epoch",
          0,
          Integer.MAX_VALUE,
          0,
          "Part of every identity. Raise it by one after a restore, a pg_upgrade or a new"
              + " replication slot on another server, when the source's positions start again.");

  static final Setting<String> KEY_CONVERTER =
      Setting.text(
          "key.converter", JSON_CONVERTER, "Kafka Connect's converter class for record keys.");
  static final Setting<String> VALUE_CONVERTER =
      Setting.text(
          "value.converter", JSON_CONVERTER, "Kafka Connect's converter class for record values.");
  static final Setting<Boolean> FAST_PATHS =
      Setting.flag(
          "decode.fast.paths",
          true,
          "Decode JSON and Avro without the converter where the result is the same.");
  static final Setting<String> PLACEHOLDER =
      Setting.text(
          "unavailable.value.placeholder",
          "__debezium_unavailable_value",
          "The connector's setting of the same name: stands for a large value that did not change.");
  static final Setting<NewColumns> NEW_COLUMNS =
      Setting.choice(
          "schema.new.columns",
          NewColumns.class,
          NewColumns.APPEND,
          "What happens when a record brings a column that the table lacks: it is added, left out,"
              + " or the target stops (OB-405).");
  static final Setting<Incompatible> INCOMPATIBLE =
      Setting.choice(
          "schema.incompatible",
          Incompatible.class,
          Incompatible.QUARANTINE,
          "What happens to a record whose column has a type that the table cannot hold: quarantine"
              + " (OB-308), or the target stops (OB-404).");

  static final Setting<String> CATALOG_NAME =
      Setting.text(
          "catalog.name",
          "onceberg",
          "The catalog's name in SQL. A JDBC catalog also stores it with its tables.");
  static final Setting<RequiredAtomicity> ATOMICITY =
      Setting.choice(
          "commit.atomicity",
          RequiredAtomicity.class,
          RequiredAtomicity.BEST,
          "`best` uses the strongest commit that the catalog has, down to roll-forward; `required`"
              + " refuses a catalog that cannot move all tables of a target at once (OB-503).");

  static final Setting<Long> FILTER_MEMORY =
      Setting.number(
          "keys.filter.memory",
          0,
          Long.MAX_VALUE,
          0,
          "The bytes of memory that indexes and filters of key files may take in one JVM, of all"
              + " tables together; 0 is an eighth of its heap. Beyond it those that were not used"
              + " for longest are read again from the files when they are needed: slower, never"
              + " wrong. Filters take about 4 bytes a key; keys of a changelog need none.");

  static final Setting<Long> MERGE_WIDTH =
      Setting.number(
          "keys.merge.width",
          2,
          1_000,
          KeySettings.DEFAULT.mergeWidth(),
          "How many key files of a day and of like size may lie side by side before a batch writes"
              + " them anew as one, in the same commit. A smaller width makes lookups meet fewer"
              + " files and writes keys more often.");

  static final Setting<Boolean> COMPACT_PAST_DAYS =
      Setting.flag(
          "keys.compact.past.days",
          true,
          "Whether the daemon, with the first batch of a day and after its start, puts the keys of"
              + " the days before into sorted files that do not overlap, beside its batches and in"
              + " commits of their own. Lookups of business keys and snapshot rows then meet one"
              + " file of each day. `onceberg keys compact` does it by hand, for today's keys too.");

  static final Setting<Integer> RETENTION =
      Setting.days(
          "keys.retention",
          "For how many days keys are kept, such as `90d`; without it, for ever. Older ones are dropped"
              + " by whole days of `loaded_date`, within the commit of a batch. Events that may have"
              + " landed before that are then looked for in the table itself: exact, slow, and counted"
              + " as `checked_beyond_horizon`. See docs/keys.md.");

  static final Setting<Long> KEYS_HISTORY =
      Setting.number(
          "keys.history.ms",
          0,
          Long.MAX_VALUE,
          SnapshotSettings.DEFAULT.keysMillis(),
          "How long Iceberg snapshots of keys and quarantine tables are kept, and with them the key"
              + " files that were merged since: so long a query of these tables may take. At least"
              + " the last 10 are kept and at most the last 1,000.");

  static final Setting<Long> MAX_ROWS =
      Setting.number(
          "batch.max.rows", 1, 100_000_000, 250_000, "The most records that one batch reads.");
  static final Setting<Long> MAX_BYTES =
      Setting.number(
          "batch.max.bytes",
          1_024,
          Long.MAX_VALUE,
          512L << 20,
          "About how many bytes of keys and values one batch reads at most, going by the average"
              + " size of records seen.");
  static final Setting<Long> MAX_WAIT =
      Setting.number(
          "batch.max.wait.ms",
          0,
          3_600_000,
          1_000,
          "How long a batch that is not full waits for more records. It bounds how far the tables"
              + " are behind Kafka; a longer wait makes fewer, larger files.");

  static final Setting<Long> BACKOFF =
      Setting.number("retry.backoff.ms", 10, 600_000, 500, "The first wait before a retry.");
  static final Setting<Long> BACKOFF_MAX =
      Setting.number(
          "retry.backoff.max.ms", 10, 3_600_000, 30_000, "The longest wait before a retry.");
  static final Setting<Long> START_WAIT =
      Setting.number(
          "start.wait.ms",
          0,
          86_400_000,
          30_000,
          "How long Kafka or the catalog may not answer at the start before the daemon ends with an"
              + " error; a try that is under way is finished first (a request to Kafka takes up to"
              + " `kafka.default.api.timeout.ms`). Once it has worked, it waits without end.");
  static final Setting<Long> HEALTH_LIMIT =
      Setting.number(
          "health.limit.ms",
          1,
          86_400_000,
          900_000,
          "How long records may wait for a commit of their target, beyond `batch.max.wait.ms`, and how"
              + " long nothing may work, before the daemon counts as unhealthy. It says so in the log,"
              + " once, and goes on trying.");
  static final Setting<Long> SUMMARY =
      Setting.number(
          "log.summary.ms", 1_000, 86_400_000, 60_000, "How often a summary line is logged.");

  static final Setting<TargetKind> KIND =
      Setting.choice(
          "kind",
          TargetKind.class,
          TargetKind.CHANGELOG,
          "`changelog`: one row per change event. `events`: append-only facts with a key of their"
              + " own, see `key`.");
  static final Setting<List<String>> EVENT_KEY =
      Setting.list(
          "key", "The columns that identify an event. For tables of kind `events`, and required.");
  static final Setting<List<String>> PARTITION_BY =
      new Setting<>(
          "partition.by",
          "list of Iceberg partition expressions",
          Settings::splitOutsideParentheses,
          null,
          "How a new table is partitioned, such as `days(created_at), bucket(16, id)`.",
          false);
  static final Setting<Conflict> CONFLICT =
      Setting.choice(
          "conflict",
          Conflict.class,
          Conflict.QUARANTINE,
          "What happens to an event whose key was seen before with another payload (OB-305,"
              + " OB-410).");
  static final Setting<Twins> TWINS =
      Setting.choice(
          "twins",
          Twins.class,
          Twins.REFUSE,
          "Equal rows of a source table without a key cannot be told from a replay when the"
              + " connector sends no transaction metadata: `refuse` stops the target (OB-406),"
              + " `collapse` keeps one of them, `keep` keeps all and lets replays through.");
  static final Setting<SnapshotRows> SNAPSHOT =
      Setting.choice(
          "snapshot",
          SnapshotRows.class,
          SnapshotRows.COLLAPSE,
          "A later snapshot's row that did not change adds nothing (`collapse`) or adds a row"
              + " (`keep-each`).");
  static final Setting<Long> HISTORY =
      Setting.number(
          "history.keep",
          0,
          Integer.MAX_VALUE,
          SnapshotSettings.DEFAULT.rowsMost(),
          "How many Iceberg snapshots of the rows table are kept, one for each batch; older ones"
              + " go, with the files that only they held. Branches, tags and the table's own"
              + " properties `history.expire.*` keep theirs. 0 keeps all, and leaves it to you to"
              + " expire them: every commit writes all of them anew.");

  static final Setting<KeyReuse> KEY_REUSE =
      Setting.choice(
          "key.reuse",
          KeyReuse.class,
          KeyReuse.POSSIBLE,
          "For tables of kind `events` under `keys.retention`: whether the source may use a key again"
              + " in a new event after the first one's key was dropped. `possible` looks for every event"
              + " that the keys table does not know in the dropped days of the table; `never` only for"
              + " those whose source time is old enough to be a replay, see docs/keys.md.");

  /** Settings with a name of their own, in the order of the documentation. */
  static final List<Section> SECTIONS =
      List.of(
          new Section("Kafka", List.of(BOOTSTRAP, GROUP, POLL_TIMEOUT)),
          new Section(
              "Topics and targets", List.of(TOPICS, TOPICS_REGEX, TOPICS_START, NAMESPACE, EPOCH)),
          new Section(
              "Decoding",
              List.of(
                  KEY_CONVERTER,
                  VALUE_CONVERTER,
                  FAST_PATHS,
                  PLACEHOLDER,
                  NEW_COLUMNS,
                  INCOMPATIBLE)),
          new Section("Catalog and commit", List.of(CATALOG_NAME, ATOMICITY)),
          new Section(
              "Keys",
              List.of(FILTER_MEMORY, MERGE_WIDTH, COMPACT_PAST_DAYS, RETENTION, KEYS_HISTORY)),
          new Section(
              "Batches and waiting",
              List.of(
                  MAX_ROWS,
                  MAX_BYTES,
                  MAX_WAIT,
                  BACKOFF,
                  BACKOFF_MAX,
                  START_WAIT,
                  HEALTH_LIMIT,
                  SUMMARY)));

  /**
   * Settings of one table, {@code table.<table>.<name>}, or of all, {@code table.default.<name>}.
   */
  static final List<Setting<?>> TABLE =
      List.of(KIND, EVENT_KEY, PARTITION_BY, CONFLICT, TWINS, SNAPSHOT, KEY_REUSE, HISTORY);

  static final Family KAFKA =
      new Family(
          "kafka.",
          "Settings of Kafka's consumer and admin client, such as `kafka.security.protocol`."
              + " Offsets, isolation and deserializers are fixed and refused here.");
  static final Family KEY_CONVERTER_PROPERTIES =
      new Family("key.converter.", "The key converter's own settings, as in Kafka Connect.");
  static final Family VALUE_CONVERTER_PROPERTIES =
      new Family("value.converter.", "The value converter's own settings, as in Kafka Connect.");
  static final Family CATALOG =
      new Family(
          "catalog.",
          "Iceberg catalog properties: `catalog.type` (`jdbc`, `rest`, `hive`, `hadoop`, `glue`) or"
              + " `catalog.catalog-impl`, `catalog.uri`, `catalog.warehouse` and so on. Without any:"
              + " a JDBC catalog on SQLite in the directory `warehouse`. A relative path"
              + " counts from the directory that the program is started in; the log names the whole.");
  static final Family SPARK =
      new Family("spark.", "Spark's settings. `spark.master` is `local[*]` unless given.");
  static final Family ROUTE =
      new Family("route.", "`route.<topic>=<table>`: the table that a topic's records go to.");
  static final Family CAPTURE =
      new Family("capture.", "Settings of `onceberg capture`; the daemon passes them over.");

  static final List<Family> FAMILIES =
      List.of(
          KAFKA,
          ROUTE,
          KEY_CONVERTER_PROPERTIES,
          VALUE_CONVERTER_PROPERTIES,
          CATALOG,
          SPARK,
          CAPTURE,
          CaptureSettings.DEBEZIUM);

  /** A headed group of settings in the documentation. */
  record Section(String title, List<Setting<?>> settings) {}

  /** All settings that begin with a prefix are passed on without it. */
  record Family(String prefix, String doc) {}

  private Settings() {}

  private static List<String> splitOutsideParentheses(String text) {
    return List.of(text.split(",(?![^(]*\\))", -1)).stream()
        .map(String::strip)
        .peek(
            part -> {
              if (part.isEmpty()) {
                throw new IllegalArgumentException("an element of the list is empty");
              }
            })
        .toList();
  }
}
