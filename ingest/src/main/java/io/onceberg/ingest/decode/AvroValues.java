package io.onceberg.ingest.decode;

import io.onceberg.keystore.TargetLayout;
import org.jspecify.annotations.Nullable;

/** Reads values that are Avro of a schema registry, straight from their bytes. */
final class AvroValues implements ValueReader {
  private final AvroPlans<ValuePlan> plans;
  private final AvroInput in = new AvroInput();

  AvroValues(DecodeSettings settings, TargetLayout layout, SchemaRegistry registry) {
    plans = new AvroPlans<>(registry, schema -> ValuePlan.of(schema, settings, layout));
  }

  @Override
  public void renew() {
    plans.renew();
  }

  @Override
  public void read(String topic, byte[] value, boolean keyless, Envelope out) {
    AvroPlans.Plan<ValuePlan> plan = plans.of(value);
    in.start(value, RegistryAvroConverter.HEADER_BYTES);
    AvroStep step = plan.step().enter(in);
    if (step == null) {
      out.shape = Envelope.Shape.TOMBSTONE;
      return;
    }
    plan.meaning().begin(out);
    if (out.shape == Envelope.Shape.CONTROL) {
      step.skip(in);
    } else if (!(step instanceof AvroStep.RecordStep record)) {
      throw RefusedValue.undecodable("the payload is no record");
    } else if (out.shape == Envelope.Shape.CHANGE) {
      envelope(record, plan.meaning().readable(), keyless, out);
    } else {
      flattened(record, plan.meaning().readable(), out);
    }
  }

  private void flattened(AvroStep.RecordStep record, @Nullable RowPlan plan, Envelope out) {
    boolean deleted = false;
    for (int i = 0; i < record.size(); i++) {
      String name = record.name(i);
      AvroStep step = record.step(i);
      RowPlan.Planned field = plan == null ? null : plan.find(name, i);
      if (name.equals(ValuePlan.FLATTENED_OP)) {
        out.op = letter(step);
      } else if (name.equals(ValuePlan.FLATTENED_DELETED)) {
        deleted = "true".equals(String.valueOf(step.read(in)));
      } else if (field == null || field.cell() == null) {
        step.skip(in);
      } else {
        step.feed(in, field, out.columns);
      }
    }
    if (deleted) {
      out.op = 'd';
    }
  }

  private void envelope(
      AvroStep.RecordStep envelope, @Nullable RowPlan rows, boolean keyless, Envelope out) {
    int beforeAt = -1;
    AvroStep before = null;
    for (int i = 0; i < envelope.size(); i++) {
      AvroStep step = envelope.step(i);
      switch (envelope.name(i)) {
        case "before" -> {
          before = step.enter(in);
          beforeAt = in.position();
          out.hasBefore = before instanceof AvroStep.RecordStep;
          if (before != null) {
            before.skip(in);
          }
        }
        case "after" -> after(step.enter(in), rows, out);
        case "source" -> source(step.enter(in), out);
        case "op" -> out.op = letter(step);
        case "transaction" -> transaction(step.enter(in), out);
        case "ts_ms" -> out.times().millis(integer(step));
        case "ts_us" -> out.times().micros(integer(step));
        case "ts_ns" -> out.times().nanos(integer(step));
        default -> step.skip(in);
      }
    }
    if (rows != null && before != null) {
      in.moveTo(beforeAt);
      before(before, rows, keyless, out);
    }
  }

  private void after(@Nullable AvroStep state, @Nullable RowPlan rows, Envelope out) {
    // a state is a record; what else the schema calls so is none
    out.hasAfter = state instanceof AvroStep.RecordStep;
    if (state == null) {
      return;
    }
    if (rows != null && state instanceof AvroStep.RecordStep record) {
      record.row(in, rows, out.columns);
    } else {
      state.skip(in);
    }
  }

  private void before(AvroStep state, RowPlan rows, boolean keyless, Envelope out) {
    if (!(state instanceof AvroStep.RecordStep record)) {
      return;
    }
    if (out.op == 'd') {
      out.columns.start();
      record.row(in, rows, out.columns);
    } else if (keyless) {
      out.previous.start();
      record.row(in, rows, out.previous);
    }
  }

  private void source(@Nullable AvroStep step, Envelope out) {
    if (!(step instanceof AvroStep.RecordStep source)) {
      skip(step);
      return;
    }
    out.hasSource = true;
    for (int i = 0; i < source.size(); i++) {
      AvroStep field = source.step(i);
      switch (source.name(i)) {
        case "connector" -> out.connector = connector(field);
        case "name" -> part(SourceName.NAME, field, out);
        case "db" -> part(SourceName.DATABASE, field, out);
        case "schema" -> part(SourceName.SCHEMA, field, out);
        case "table" -> part(SourceName.TABLE, field, out);
        case "lsn" -> out.lsn = integer(field);
        case "txId" -> out.txId = integer(field);
        case "ts_ms" -> out.sourceTimes().millis(integer(field));
        case "ts_us" -> out.sourceTimes().micros(integer(field));
        case "ts_ns" -> out.sourceTimes().nanos(integer(field));
        default -> field.skip(in);
      }
    }
  }

  private @Nullable String connector(AvroStep step) {
    Object written = step.read(in);
    return written instanceof String connector ? connector : null;
  }

  private void part(int part, AvroStep step, Envelope out) {
    AvroStep there = step.enter(in);
    if (there instanceof AvroStep.TextStep) {
      int length = AvroStep.length(in);
      out.sourceName.put(part, in.bytes(), in.take(length), length);
    } else {
      skip(there);
    }
  }

  private void transaction(@Nullable AvroStep step, Envelope out) {
    if (!(step instanceof AvroStep.RecordStep transaction)) {
      skip(step);
      return;
    }
    for (int i = 0; i < transaction.size(); i++) {
      if (transaction.name(i).equals("data_collection_order")) {
        out.ordinal = integer(transaction.step(i));
      } else {
        transaction.step(i).skip(in);
      }
    }
  }

  private void skip(@Nullable AvroStep step) {
    if (step != null) {
      step.skip(in);
    }
  }

  private @Nullable Long integer(AvroStep step) {
    Object value = step.read(in);
    return value instanceof Long || value instanceof Integer
        ? Long.valueOf(((Number) value).longValue())
        : null;
  }

  private char letter(AvroStep step) {
    Object value = step.read(in);
    return value instanceof String op && op.length() == 1 ? op.charAt(0) : 0;
  }
}
