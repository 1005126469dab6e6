package io.onceberg.ingest.decode;

import io.onceberg.error.ErrorCode;
import io.onceberg.keystore.SourceSchema;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetLayout;
import java.util.List;
import org.apache.iceberg.types.Types;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;

/** Reads key and value, and says what the record is. */
final class RecordDecoder implements EventDecoder {
  private static final String HEARTBEAT_TOPICS = "__debezium-heartbeat";

  private final DecodeSettings settings;
  private final KeyReader keys;
  private final ValueReader values;
  private final Envelope envelope;
  private final RecordKey key = new RecordKey();

  RecordDecoder(DecodeSettings settings, TargetLayout layout, KeyReader keys, ValueReader values) {
    this.settings = settings;
    this.keys = keys;
    this.values = values;
    this.envelope =
        new Envelope(
            layout.columns().fields().size(), new Placeholders(settings.unavailablePlaceholder()));
  }

  @Override
  public Decoded decode(ConsumerRecord<byte[], byte[]> record) {
    byte[] value = record.value();
    if (value == null) {
      return new Decoded.Tombstone();
    }
    if (record.topic().startsWith(HEARTBEAT_TOPICS)) {
      return new Decoded.Control(ControlKind.HEARTBEAT);
    }
    try {
      key.start();
      envelope.start();
      if (record.key() != null) {
        keys.read(record.topic(), record.key(), key);
      }
      values.read(record.topic(), value, key.absent, envelope);
      return conclude();
    } catch (RefusedValue e) {
      return refused(e, null);
    } catch (NumberFormatException e) {
      return refused(RefusedValue.undecodable("not a number: " + e.getMessage()), null);
    }
  }

  private Decoded conclude() {
    return switch (envelope.shape) {
      case TOMBSTONE -> new Decoded.Tombstone();
      case CONTROL -> control();
      case FLATTENED -> flattened();
      case CHANGE -> change();
    };
  }

  private Decoded control() {
    ControlKind kind = envelope.control;
    if (kind == null) {
      throw new IllegalStateException("a control record without its kind");
    }
    return new Decoded.Control(kind);
  }

  private Decoded flattened() {
    if (settings.kind() == TargetKind.CHANGELOG) {
      return refused(
          new RefusedValue(
              ErrorCode.FLATTENED_CHANGELOG,
              "the record has no envelope, so no source position; remove the unwrap transform,"
                  + " or make the target one of events"),
          null);
    }
    envelope.op = envelope.op == 0 ? 'c' : envelope.op;
    return row();
  }

  private Decoded change() {
    if (envelope.op == 'm') {
      return new Decoded.Control(ControlKind.LOGICAL_MESSAGE);
    }
    Op op = envelope.operation();
    if (settings.kind() == TargetKind.CHANGELOG) {
      requirePosition(op);
    }
    boolean state = op == Op.CREATE || op == Op.UPDATE || op == Op.READ;
    if (state && !envelope.hasAfter) {
      throw RefusedValue.undecodable("op '%s' without after".formatted(op.letter()));
    }
    return row();
  }

  private void requirePosition(Op op) {
    if (envelope.connector == null) {
      throw new RefusedValue(
          ErrorCode.NO_POSITION, "op '%s' without source.connector".formatted(op.letter()));
    }
    if (!envelope.connector.equals(Envelope.POSTGRES)) {
      throw new RefusedValue(
          ErrorCode.CONNECTOR_UNSUPPORTED,
          "connector '%s': a changelog needs a position that is known; postgresql has one"
              .formatted(envelope.connector));
    }
  }

  private Decoded row() {
    SourceFit rows = envelope.rows;
    KeyFit keyFit = key.fit;
    if (rows != null && rows.refusal() != null) {
      return refused(rows.refusal(), null);
    }
    if (keyFit != null && keyFit.fit().refusal() != null) {
      return refused(keyFit.fit().refusal(), null);
    }
    boolean keyEvolves = keyFit != null && keyFit.fit().evolves();
    if (rows != null && (rows.evolves() || keyEvolves)) {
      return new Decoded.NewSchema(new SourceSchema(rows.source(), keySchema(keyFit)));
    }
    EventOrigin origin = origin();
    RefusedValue refusal = refusal();
    return refusal == null ? change(origin) : refused(refusal, origin);
  }

  private Types.@Nullable StructType keySchema(@Nullable KeyFit keyFit) {
    return keyFit == null || settings.kind() == TargetKind.EVENTS ? null : keyFit.fit().source();
  }

  private @Nullable RefusedValue refusal() {
    if (key.refusal != null) {
      return key.refusal;
    }
    if (envelope.columns.refusal() != null) {
      return envelope.columns.refusal();
    }
    if (previousWanted() && envelope.previous.refusal() != null) {
      return envelope.previous.refusal();
    }
    boolean placed =
        settings.kind() == TargetKind.EVENTS || envelope.op == 'r' || envelope.lsn != null;
    return placed
        ? null
        : new RefusedValue(
            ErrorCode.NO_POSITION, "op '%s' without source.lsn".formatted(envelope.op));
  }

  private Decoded change(EventOrigin origin) {
    UnsafeRow columns = envelope.columns.finish();
    UnsafeRow before = null;
    if (key.absent && envelope.hasBefore) {
      before = previousWanted() ? envelope.previous.finish() : columns;
    }
    return new Decoded.Change(origin, columns, before, List.copyOf(envelope.columns.unavailable()));
  }

  /** Whether {@code before} was built beside {@code columns}: a delete's is the columns. */
  private boolean previousWanted() {
    return key.absent && envelope.hasBefore && envelope.op != 'd';
  }

  private EventOrigin origin() {
    return new EventOrigin(
        envelope.operation(),
        envelope.source(),
        envelope.lsn,
        envelope.txId,
        envelope.ordinal,
        settings.kind() == TargetKind.EVENTS ? null : key.row,
        key.text,
        envelope.times().toMicros(),
        envelope.sourceTimes().toMicros());
  }

  private Decoded refused(RefusedValue e, @Nullable EventOrigin origin) {
    boolean stops =
        e.code() == ErrorCode.INCOMPATIBLE_VALUE
            && settings.incompatible() == DecodeSettings.Incompatible.STOP;
    ErrorCode code = stops ? ErrorCode.SCHEMA_INCOMPATIBLE : e.code();
    return new Decoded.Refused(code, e.detail(), origin);
  }

  @Override
  public void renew() {
    keys.renew();
    values.renew();
  }

  @Override
  public void close() {
    try {
      keys.close();
    } finally {
      values.close();
    }
  }
}
