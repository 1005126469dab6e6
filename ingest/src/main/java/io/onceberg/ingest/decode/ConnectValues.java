package io.onceberg.ingest.decode;

import io.onceberg.keystore.TargetLayout;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.storage.Converter;
import org.jspecify.annotations.Nullable;

/** Reads values through a Kafka Connect converter. */
final class ConnectValues implements ValueReader {
  private final Converter converter;
  private final PlanCache<ValuePlan> plans;
  private final SchemalessJsonValues schemaless;

  ConnectValues(DecodeSettings settings, TargetLayout layout, Converter converter) {
    this.converter = converter;
    this.plans = new PlanCache<>(schema -> ValuePlan.of(schema, settings, layout));
    this.schemaless = new SchemalessJsonValues(settings, layout);
  }

  @Override
  public void read(String topic, byte[] value, boolean keyless, Envelope out) {
    SchemaAndValue data = ConnectData.of(converter, topic, value);
    if (value.length == 0) {
      throw RefusedValue.undecodable("a value of no bytes");
    }
    if (data.value() == null) {
      out.shape = Envelope.Shape.TOMBSTONE;
    } else if (data.schema() == null) {
      schemaless.read(topic, ConnectKeys.json(data.value()), keyless, out);
    } else {
      read(data.schema(), data.value(), keyless, out);
    }
  }

  private void read(Schema schema, Object value, boolean keyless, Envelope out) {
    ValuePlan plan = plans.of(schema);
    plan.begin(out);
    if (out.shape == Envelope.Shape.CONTROL) {
      return;
    }
    if (!(value instanceof Struct struct)) {
      throw RefusedValue.undecodable("the payload is no struct but " + schema.type());
    }
    if (out.shape == Envelope.Shape.CHANGE) {
      envelope(struct, plan.readable(), keyless, out);
    } else {
      flattened(struct, plan.readable(), out);
    }
  }

  private static void flattened(Struct row, @Nullable RowPlan plan, Envelope out) {
    String op = text(row, ValuePlan.FLATTENED_OP);
    out.op = op != null && op.length() == 1 ? op.charAt(0) : 0;
    Object deleted = NestedCells.field(row, ValuePlan.FLATTENED_DELETED);
    if (deleted != null && deleted.toString().equals("true")) {
      out.op = 'd';
    }
    if (plan != null) {
      row(row, plan, out.columns);
    }
  }

  private static void envelope(
      Struct envelope, @Nullable RowPlan rows, boolean keyless, Envelope out) {
    String op = text(envelope, "op");
    out.op = op != null && op.length() == 1 ? op.charAt(0) : 0;
    times(envelope, out.times());
    Struct source = struct(envelope, "source");
    if (source != null) {
      source(source, out);
    }
    Struct transaction = struct(envelope, "transaction");
    if (transaction != null) {
      out.ordinal = integer(transaction, "data_collection_order");
    }
    Struct after = struct(envelope, "after");
    Struct before = struct(envelope, "before");
    out.hasAfter = after != null;
    out.hasBefore = before != null;
    if (rows != null) {
      states(after, before, rows, keyless, out);
    }
  }

  private static void states(
      @Nullable Struct after,
      @Nullable Struct before,
      RowPlan rows,
      boolean keyless,
      Envelope out) {
    if (before != null && out.op == 'd') {
      row(before, rows, out.columns);
    } else if (after != null) {
      row(after, rows, out.columns);
    }
    if (before != null && out.op != 'd' && keyless) {
      out.previous.start();
      row(before, rows, out.previous);
    }
  }

  private static void source(Struct source, Envelope out) {
    out.hasSource = true;
    out.connector = text(source, "connector");
    out.sourceName.put(SourceName.NAME, text(source, "name"));
    out.sourceName.put(SourceName.DATABASE, text(source, "db"));
    out.sourceName.put(SourceName.SCHEMA, text(source, "schema"));
    out.sourceName.put(SourceName.TABLE, text(source, "table"));
    out.lsn = integer(source, "lsn");
    out.txId = integer(source, "txId");
    times(source, out.sourceTimes());
  }

  private static void times(Struct struct, Envelope.Times times) {
    times.millis(integer(struct, "ts_ms"));
    times.micros(integer(struct, "ts_us"));
    times.nanos(integer(struct, "ts_ns"));
  }

  /** Reads a row by the plan that was made for its schema. */
  static void row(Struct row, RowPlan plan, RowBuilder out) {
    for (int i = 0; i < plan.size(); i++) {
      RowPlan.Planned planned = plan.field(i);
      Field field = row.schema().field(planned.name());
      if (field != null) {
        out.of(planned, row.getWithoutDefault(planned.name()));
      }
    }
  }

  private static @Nullable String text(Struct struct, String name) {
    return NestedCells.field(struct, name) instanceof String text ? text : null;
  }

  private static @Nullable Long integer(Struct struct, String name) {
    Object value = NestedCells.field(struct, name);
    return value instanceof Long || value instanceof Integer
        ? Long.valueOf(((Number) value).longValue())
        : null;
  }

  private static @Nullable Struct struct(Struct struct, String name) {
    return NestedCells.field(struct, name) instanceof Struct inner ? inner : null;
  }

  @Override
  public void close() {
    ConnectData.close(converter);
  }
}
