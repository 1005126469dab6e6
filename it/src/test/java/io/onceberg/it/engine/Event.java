package io.onceberg.it.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A Debezium record in JSON without schema, as key and value texts. */
record Event(@Nullable String key, @Nullable String value) {
  private static final String SOURCE =
      "{\"version\":\"%s\",\"connector\":\"postgresql\",\"name\":\"shop\",\"ts_ms\":1700000000000,"
          + "\"ts_us\":1700000000000000,\"snapshot\":\"%s\",\"db\":\"app\",\"schema\":\"public\","
          + "\"table\":\"orders\",\"txId\":%d,\"lsn\":%d,\"xmin\":null}";

  /** A change of table public.orders. */
  static Event change(
      char op,
      long lsn,
      long txId,
      @Nullable String key,
      @Nullable String before,
      @Nullable String after) {
    return change(op, lsn, txId, key, before, after, "3.6.1.Final", 1_700_000_000_123L, null);
  }

  /** The same with what may differ on replay, and with transaction metadata. */
  static Event change(
      char op,
      long lsn,
      long txId,
      @Nullable String key,
      @Nullable String before,
      @Nullable String after,
      String version,
      long tsMillis,
      @Nullable Long dataCollectionOrder) {
    String transaction =
        dataCollectionOrder == null
            ? "null"
            : "{\"id\":\"%d:%d\",\"total_order\":%d,\"data_collection_order\":%d}"
                .formatted(txId, lsn, dataCollectionOrder, dataCollectionOrder);
    String value =
        "{\"before\":%s,\"after\":%s,\"source\":%s,\"op\":\"%s\",\"ts_ms\":%d,\"transaction\":%s}"
            .formatted(
                before,
                after,
                SOURCE.formatted(version, op == 'r' ? "true" : "false", txId, lsn),
                op,
                tsMillis,
                transaction);
    return new Event(key, value);
  }

  /** The same event, made by the source at another time. */
  Event madeAt(Instant time) {
    String text =
        String.valueOf(value)
            .replace("\"ts_ms\":1700000000000", "\"ts_ms\":" + time.toEpochMilli())
            .replace("\"ts_us\":1700000000000000", "\"ts_us\":" + time.toEpochMilli() * 1_000);
    return new Event(key, text);
  }

  /** The same event from a source that does not say when it was made. */
  Event madeAtNoTime() {
    return new Event(key, String.valueOf(value).replaceFirst("\"ts_ms\":\\d+,\"ts_us\":\\d+,", ""));
  }

  static Event create(long lsn, long id, String name) {
    return change('c', lsn, 7, key(id), null, row(id, name));
  }

  static Event update(long lsn, long id, String name) {
    return change('u', lsn, 7, key(id), null, row(id, name));
  }

  static Event delete(long lsn, long id) {
    return change('d', lsn, 7, key(id), row(id, null), null);
  }

  static Event snapshot(long lsn, long id, String name) {
    return change('r', lsn, 0, key(id), null, row(id, name));
  }

  static Event tombstone(long id) {
    return new Event(key(id), null);
  }

  static String key(long id) {
    return "{\"id\":%d}".formatted(id);
  }

  static String row(long id, @Nullable String name) {
    return "{\"id\":%d,\"name\":%s}".formatted(id, name == null ? null : "\"" + name + "\"");
  }
}
