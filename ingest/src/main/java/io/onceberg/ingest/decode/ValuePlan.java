package io.onceberg.ingest.decode;

import io.onceberg.keystore.TargetLayout;
import java.util.List;
import java.util.Set;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * What a record value's Connect schema says the record is.
 *
 * @param control set for a record that is only counted
 * @param rows how its states fit the table; null where it has none
 * @param undeclared fields of an envelope that the schema does not have, or of another type, so
 *     that a JSON payload's fields of these names mean nothing
 */
record ValuePlan(
    Envelope.Shape shape,
    @Nullable ControlKind control,
    @Nullable SourceFit rows,
    List<String> undeclared) {
  /** Fields that an unwrap transform adds and that say what happened to the row. */
  static final String FLATTENED_OP = "__op";

  static final String FLATTENED_DELETED = "__deleted";

  private static final Set<String> NO_COLUMNS = Set.of(FLATTENED_OP, FLATTENED_DELETED);

  /**
   * A schema that is no struct gives a plan without rows.
   *
   * @throws RefusedValue when no record can have such a schema
   */
  static ValuePlan of(Schema schema, DecodeSettings settings, TargetLayout layout) {
    String name = schema.name() == null ? "" : schema.name();
    ControlKind control = control(name);
    if (control != null) {
      return new ValuePlan(Envelope.Shape.CONTROL, control, null, List.of());
    }
    if (schema.type() != Schema.Type.STRUCT) {
      return new ValuePlan(Envelope.Shape.FLATTENED, null, null, List.of());
    }
    if (!isEnvelope(schema, name)) {
      List<Field> columns =
          schema.fields().stream().filter(f -> !NO_COLUMNS.contains(f.name())).toList();
      SourceFit rows = fit(columns, settings, layout);
      return new ValuePlan(Envelope.Shape.FLATTENED, null, rows, List.of());
    }
    Field state = state(schema);
    SourceFit rows =
        state == null || state.schema().type() != Schema.Type.STRUCT
            ? null
            : fit(state.schema().fields(), settings, layout);
    return new ValuePlan(Envelope.Shape.CHANGE, null, rows, undeclared(schema));
  }

  /** The field whose schema is that of both states. */
  private static @Nullable Field state(Schema envelope) {
    Field before = envelope.field("before");
    Field after = envelope.field("after");
    boolean unlike =
        before != null
            && after != null
            && after.schema().type() == Schema.Type.STRUCT
            && !after.schema().equals(before.schema());
    if (unlike) {
      throw RefusedValue.undecodable("the schemas of before and after differ");
    }
    return after == null ? before : after;
  }

  private static SourceFit fit(List<Field> fields, DecodeSettings settings, TargetLayout layout) {
    return SourceFit.rows(fields, layout.columns(), settings.newColumns());
  }

  private static List<String> undeclared(Schema envelope) {
    return Envelope.FIELDS.stream().filter(path -> !declares(envelope, path)).toList();
  }

  /** Whether the schema has the field, of a type that its values are read from. */
  private static boolean declares(Schema schema, String path) {
    int dot = path.indexOf('.');
    Field field = schema.field(dot < 0 ? path : path.substring(0, dot));
    if (field == null) {
      return false;
    }
    if (dot < 0) {
      return fits(path, field.schema());
    }
    return field.schema().type() == Schema.Type.STRUCT
        && declares(field.schema(), path.substring(dot + 1));
  }

  private static boolean fits(String name, Schema schema) {
    return switch (name) {
      case "before", "after" -> schema.type() == Schema.Type.STRUCT;
      case "op", "connector", "name", "db", "schema", "table" ->
          schema.type() == Schema.Type.STRING;
      default ->
          (schema.type() == Schema.Type.INT64 && !Timestamp.LOGICAL_NAME.equals(schema.name()))
              || (schema.type() == Schema.Type.INT32
                  && !Date.LOGICAL_NAME.equals(schema.name())
                  && !Time.LOGICAL_NAME.equals(schema.name()));
    };
  }

  private static boolean isEnvelope(Schema schema, String name) {
    boolean states = schema.field("after") != null || schema.field("before") != null;
    return name.endsWith(".Envelope")
        || name.endsWith(".MessageValue")
        || (schema.field("op") != null && schema.field("source") != null && states);
  }

  private static @Nullable ControlKind control(String name) {
    if (name.equals("io.debezium.connector.common.Heartbeat")) {
      return ControlKind.HEARTBEAT;
    }
    if (name.endsWith(".SchemaChangeValue")) {
      return ControlKind.SCHEMA_CHANGE;
    }
    return name.endsWith(".TransactionMetadataValue") ? ControlKind.TRANSACTION : null;
  }

  /** Puts the plan's outcome into the envelope; the reader fills in the rest. */
  void begin(Envelope out) {
    if (control != null) {
      out.control(control);
      return;
    }
    out.shape = shape;
    out.rows = rows;
  }

  /** The plan by which states are read; null to leave them out. */
  @Nullable RowPlan readable() {
    return rows != null && rows.ready() ? rows.plan() : null;
  }
}
