package io.onceberg.error;

/**
 * Every error a user can meet: a stable number, what the program does, and one line of meaning. The
 * runbook is indexed by number. Numbers are never reused.
 *
 * <p>1xx settings and command line; 2xx Kafka; 3xx one record; 4xx tables and schema; 5xx commit
 * and ledger; 6xx capture; 9xx faults of the program itself.
 */
public enum ErrorCode {
  // ---- 1xx: settings and command line
  UNKNOWN_SETTING(101, Reaction.STOP, "a setting has a name that is not known"),
  INVALID_SETTING(102, Reaction.STOP, "a setting has a value that cannot be used"),
  MISSING_SETTING(103, Reaction.STOP, "a required setting is absent"),
  CONFIG_UNREADABLE(104, Reaction.STOP, "the configuration file cannot be read"),
  QUERY_REFUSED(105, Reaction.STOP, "a query of the command sql cannot be run"),
  TARGET_UNKNOWN(106, Reaction.STOP, "a command names a table that is no target"),

  // ---- 2xx: Kafka
  KAFKA_UNREACHABLE(201, Reaction.RETRY, "no Kafka broker answers"),
  TOPIC_MISSING(202, Reaction.STOP, "a configured topic does not exist"),
  TOPIC_RECREATED(203, Reaction.STOP_TARGET, "the topic was deleted and created again"),
  OFFSET_BELOW_RETENTION(204, Reaction.STOP_TARGET, "the next offset is no longer kept by Kafka"),
  OFFSET_BEYOND_END(205, Reaction.STOP_TARGET, "the log ends before the next offset"),
  KAFKA_REFUSED(206, Reaction.STOP, "Kafka refuses the client (credentials, rights, protocol)"),

  // ---- 3xx: one record
  UNDECODABLE(301, Reaction.QUARANTINE, "the bytes of the record cannot be decoded"),
  UNKNOWN_SCHEMA_ID(302, Reaction.QUARANTINE, "the registry does not know the record's schema id"),
  VALUE_OUT_OF_RANGE(303, Reaction.QUARANTINE, "a value does not fit its column exactly"),
  NULL_IN_EVENT_KEY(304, Reaction.QUARANTINE, "a column of the event key is null"),
  EVENT_CONFLICT(305, Reaction.QUARANTINE, "an event key was seen before with another payload"),
  EVENT_MUTATION(306, Reaction.QUARANTINE, "an update, delete or truncate of an append-only event"),
  LONE_TOMBSTONE(307, Reaction.QUARANTINE, "a tombstone that follows no delete"),
  INCOMPATIBLE_VALUE(308, Reaction.QUARANTINE, "a value's type cannot be held by its column"),
  NO_POSITION(309, Reaction.QUARANTINE, "the change event carries no source position"),
  REGISTRY_UNREACHABLE(310, Reaction.RETRY, "the schema registry does not answer"),
  REGISTRY_REFUSED(311, Reaction.STOP, "the schema registry refuses the client"),
  KEY_NOT_UNIQUE(312, Reaction.QUARANTINE, "two changes share position and key but not values"),
  EQUALS_UNSETTLED(
      313, Reaction.QUARANTINE, "a row of a table without a key, a replay or another equal row"),

  // ---- 4xx: tables and schema
  FOREIGN_TABLE(401, Reaction.STOP_TARGET, "a table of that name exists and was not made here"),
  TABLE_MISSING(402, Reaction.STOP_TARGET, "a table that was there before is gone"),
  COLUMN_LOST(403, Reaction.STOP_TARGET, "a table has lost a column it had"),
  SCHEMA_INCOMPATIBLE(404, Reaction.STOP_TARGET, "a column's new type cannot be held by the table"),
  SCHEMA_CHANGE_REFUSED(405, Reaction.STOP_TARGET, "the schema changed and the policy is fail"),
  TWINS_UNSETTLED(406, Reaction.STOP_TARGET, "a table without a key needs a policy for equal rows"),
  FLATTENED_CHANGELOG(407, Reaction.STOP_TARGET, "flattened events cannot feed a changelog"),
  CONNECTOR_UNSUPPORTED(408, Reaction.STOP_TARGET, "no identity is defined for this connector"),
  IDENTITY_VERSION(
      409, Reaction.STOP_TARGET, "the keys table was written by another identity rule"),
  CONFLICT_STOP(410, Reaction.STOP_TARGET, "an event conflict was found and the policy is stop"),
  TABLE_DAMAGED(
      411, Reaction.STOP_TARGET, "a table's current metadata names a file that is not there"),
  ROW_DELETES(412, Reaction.STOP_TARGET, "a keys or quarantine table has row-level deletes"),
  IDENTITY_NOT_STORED(
      413, Reaction.STOP_TARGET, "a row of the target lacks what its identity is made of"),

  // ---- 5xx: commit and ledger
  CATALOG_UNREACHABLE(501, Reaction.RETRY, "the catalog does not answer"),
  CATALOG_REFUSED(502, Reaction.STOP, "the catalog refuses the request"),
  ATOMICITY_UNAVAILABLE(503, Reaction.STOP, "the catalog cannot commit two tables at once"),
  FENCED(504, Reaction.RECOVER, "someone else moved the table; the batch is built again"),
  COMMIT_IN_DOUBT(505, Reaction.RECOVER, "it is not known whether the commit took effect"),
  LEDGER_BROKEN(506, Reaction.STOP_TARGET, "the ledger of the tables contradicts itself"),
  ANOTHER_WRITER(507, Reaction.STOP_TARGET, "another daemon keeps writing to this target"),
  STORAGE_UNREACHABLE(508, Reaction.RETRY, "table files cannot be read or written"),
  CATALOG_MISSING(509, Reaction.STOP, "there is no catalog yet to read from"),
  CLOCK_BEHIND(510, Reaction.RETRY, "this machine's clock is behind the table's last change"),

  // ---- 6xx: capture
  CAPTURE_FAILED(601, Reaction.STOP, "the Debezium connector ended with an error"),

  // ---- 9xx: the program itself
  INTERNAL(901, Reaction.STOP, "a fault of the program; please report it");

  private final int number;
  private final Reaction reaction;
  private final String meaning;

  ErrorCode(int number, Reaction reaction, String meaning) {
    this.number = number;
    this.reaction = reaction;
    this.meaning = meaning;
  }

  /** The stable three-digit number. */
  public int number() {
    return number;
  }

  public Reaction reaction() {
    return reaction;
  }

  /** One line, lower case, without a full stop. */
  public String meaning() {
    return meaning;
  }

  /** The form users see and search for, such as {@code OB-204}. */
  public String label() {
    return "OB-" + number;
  }
}
