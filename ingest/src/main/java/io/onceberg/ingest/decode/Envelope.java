package io.onceberg.ingest.decode;

import io.onceberg.error.ErrorCode;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * What a value reader found in one record. Reused from record to record; the rows of {@code after}
 * and {@code before} are built meanwhile in {@link #columns} and {@link #previous}.
 */
final class Envelope {
  /** What the record as a whole is. */
  enum Shape {
    /** An envelope of operation, states and source. */
    CHANGE,
    /** A row without envelope, as an unwrap transform leaves it. */
    FLATTENED,
    /** Null, in whatever way the encoding says so. */
    TOMBSTONE,
    CONTROL
  }

  static final String POSTGRES = "postgresql";

  /** Everything that is read of an envelope. */
  static final List<String> FIELDS =
      List.of(
          "op",
          "before",
          "after",
          "ts_ms",
          "ts_us",
          "ts_ns",
          "transaction.data_collection_order",
          "source.connector",
          "source.name",
          "source.db",
          "source.schema",
          "source.table",
          "source.lsn",
          "source.txId",
          "source.ts_ms",
          "source.ts_us",
          "source.ts_ns");

  final RowBuilder columns;
  final RowBuilder previous;
  final SourceName sourceName = new SourceName();

  Shape shape = Shape.CHANGE;
  @Nullable ControlKind control;

  /** Debezium's letter; 0 when there is none. */
  char op;

  @Nullable SourceFit rows;
  boolean hasAfter;
  boolean hasBefore;
  boolean hasSource;
  private final Times times = new Times();
  private final Times sourceTimes = new Times();
  @Nullable String connector;
  @Nullable Long lsn;
  @Nullable Long txId;
  @Nullable Long ordinal;

  Envelope(int width, Placeholders placeholders) {
    columns = new RowBuilder(width, placeholders);
    previous = new RowBuilder(width, placeholders);
  }

  void start() {
    shape = Shape.CHANGE;
    control = null;
    op = 0;
    rows = null;
    hasAfter = false;
    hasBefore = false;
    times.clear();
    ordinal = null;
    startSource();
    columns.start();
  }

  /** Forgets the source block; a repeated one replaces the first. */
  void startSource() {
    hasSource = false;
    sourceTimes.clear();
    sourceName.clear();
    connector = null;
    lsn = null;
    txId = null;
  }

  /** Forgets one of {@link #FIELDS}. */
  void forget(String field) {
    switch (field) {
      case "op" -> op = 0;
      case "before" -> {
        hasBefore = false;
        forgetState(op == 'd');
      }
      case "after" -> {
        hasAfter = false;
        forgetState(op != 'd');
      }
      case "ts_ms" -> times.millis(null);
      case "ts_us" -> times.micros(null);
      case "ts_ns" -> times.nanos(null);
      case "transaction.data_collection_order" -> ordinal = null;
      case "source.connector" -> connector = null;
      case "source.name" -> sourceName.remove(SourceName.NAME);
      case "source.db" -> sourceName.remove(SourceName.DATABASE);
      case "source.schema" -> sourceName.remove(SourceName.SCHEMA);
      case "source.table" -> sourceName.remove(SourceName.TABLE);
      case "source.lsn" -> lsn = null;
      case "source.txId" -> txId = null;
      case "source.ts_ms" -> sourceTimes.millis(null);
      case "source.ts_us" -> sourceTimes.micros(null);
      case "source.ts_ns" -> sourceTimes.nanos(null);
      default -> throw new IllegalArgumentException("no field of an envelope: " + field);
    }
  }

  private void forgetState(boolean isColumns) {
    if (isColumns) {
      columns.start();
    }
  }

  Times times() {
    return times;
  }

  Times sourceTimes() {
    return sourceTimes;
  }

  @Nullable UTF8String source() {
    return sourceName.join();
  }

  /** Makes the record a control record. */
  void control(ControlKind kind) {
    shape = Shape.CONTROL;
    control = kind;
  }

  Op operation() {
    return switch (op) {
      case 'c' -> Op.CREATE;
      case 'u' -> Op.UPDATE;
      case 'd' -> Op.DELETE;
      case 'r' -> Op.READ;
      case 't' -> Op.TRUNCATE;
      default ->
          throw new RefusedValue(
              ErrorCode.UNDECODABLE, "an envelope with op '%s'".formatted(op == 0 ? "" : op));
    };
  }

  /** One time in up to three units; the finest that fits wins. */
  static final class Times {
    private @Nullable Long millis;
    private @Nullable Long micros;
    private @Nullable Long nanos;

    void clear() {
      millis = null;
      micros = null;
      nanos = null;
    }

    void millis(@Nullable Long value) {
      millis = value;
    }

    void micros(@Nullable Long value) {
      micros = value;
    }

    void nanos(@Nullable Long value) {
      nanos = value;
    }

    @Nullable Long toMicros() {
      if (micros != null) {
        return micros;
      }
      if (nanos != null) {
        return Math.floorDiv(nanos, 1_000L);
      }
      if (millis == null || millis > Long.MAX_VALUE / 1_000 || millis < Long.MIN_VALUE / 1_000) {
        return null;
      }
      return millis * 1_000;
    }
  }
}
