package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.onceberg.keystore.TargetLayout;
import java.io.IOException;
import java.util.Set;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * Reads values that are JSON without a schema. Records are read as what the one before was, an
 * envelope or a row; one that turns out to be the other, or to bring a new column, is looked at as
 * a tree.
 */
final class SchemalessJsonValues implements ValueReader {
  private static final Set<String> FLATTENED_ONLY =
      Set.of(ValuePlan.FLATTENED_OP, ValuePlan.FLATTENED_DELETED);

  /** Fields of an envelope; a record with two of them is no row. */
  static final Set<String> MARKS = Set.of("before", "after", "source", "op");

  private final DecodeSettings settings;
  private final Types.StructType table;
  private final SourceFit known;
  private final RowPlan plan;
  private final JsonTokens tokens = new JsonTokens();
  private final JsonEnvelopes envelopes = new JsonEnvelopes(tokens);
  private final JsonFlattened flattened = new JsonFlattened(tokens);
  private boolean lastFlattened;

  SchemalessJsonValues(DecodeSettings settings, TargetLayout layout) {
    this.settings = settings;
    this.table = layout.columns();
    this.plan = JsonInference.plan(table);
    this.known = new SourceFit(table, plan, false, null);
  }

  @Override
  public void read(String topic, byte[] value, boolean keyless, Envelope out) {
    try {
      if (!readAsTheLast(value, keyless, out)) {
        out.start();
        readTree(topic, value, keyless, out);
      }
    } catch (IOException e) {
      throw JsonTokens.notJson("", e);
    }
  }

  /** False when it is not certain to be what the last one was, or has columns that are new. */
  private boolean readAsTheLast(byte[] value, boolean keyless, Envelope out) throws IOException {
    try {
      return lastFlattened ? readFlattened(value, out) : readEnvelope(value, keyless, out);
    } catch (RefusedValue e) {
      return false; // refused as what it may not be
    }
  }

  /** False when it is none, or has columns that the table has not. */
  private boolean readEnvelope(byte[] value, boolean keyless, Envelope out) throws IOException {
    try (JsonParser parser = JsonTokens.parser(value, 0, value.length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      out.rows = known;
      envelopes.read(parser, value, 0, plan, keyless, out);
      boolean stateless = !out.hasAfter && !out.hasBefore;
      return out.op != 0
          && out.hasSource
          && !envelopes.foreign()
          && !envelopes.unknown()
          && !(stateless && table.fields().isEmpty());
    }
  }

  private boolean readFlattened(byte[] value, Envelope out) throws IOException {
    try (JsonParser parser = JsonTokens.parser(value, 0, value.length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      out.rows = known;
      out.shape = Envelope.Shape.FLATTENED;
      flattened.read(parser, plan, out);
      return !flattened.unknown() && !flattened.doubtful();
    }
  }

  /** Looks at the whole record first: what it is, and which columns it brings. */
  private void readTree(String topic, byte[] value, boolean keyless, Envelope out)
      throws IOException {
    JsonNode tree = JsonTokens.tree(value);
    if (tree == null || tree.isNull() || tree.isMissingNode()) {
      out.shape = Envelope.Shape.TOMBSTONE;
      if (tree == null || tree.isMissingNode()) {
        throw RefusedValue.undecodable("no JSON at all");
      }
      return;
    }
    if (!tree.isObject()) {
      throw RefusedValue.undecodable("no JSON object but " + tree.getNodeType());
    }
    ControlKind control = control(topic, tree);
    if (control != null) {
      out.control(control);
      return;
    }
    boolean enveloped = isEnvelope(tree);
    lastFlattened = !enveloped;
    SourceFit fit = fit(tree, enveloped);
    RowPlan readable = fit != null && fit.ready() ? fit.plan() : null;
    try (JsonParser parser = JsonTokens.parser(value, 0, value.length)) {
      parser.nextToken();
      if (enveloped) {
        envelopes.read(parser, value, 0, readable, keyless, out);
      } else if (readable != null) {
        flattened.read(parser, readable, out);
      }
    }
    out.rows = fit;
    out.shape = enveloped ? Envelope.Shape.CHANGE : Envelope.Shape.FLATTENED;
  }

  private @Nullable SourceFit fit(JsonNode tree, boolean enveloped) {
    JsonNode state = tree;
    if (enveloped) {
      state = states(tree.path("before"), tree.path("after"));
    } else if (looksBroken(tree)) {
      throw RefusedValue.undecodable("an envelope without op or source");
    }
    return state.isObject()
        ? JsonInference.fit(
            state, table, settings.newColumns(), enveloped ? Set.of() : FLATTENED_ONLY, true)
        : null;
  }

  /**
   * One object with the columns of both states. What a value before the change says of a column
   * counts, too: it is part of the identity of a table without a key, now and when it comes again.
   */
  private static JsonNode states(JsonNode before, JsonNode after) {
    if (!before.isObject() || !after.isObject()) {
      return after.isObject() ? after : before;
    }
    ObjectNode both = ((ObjectNode) after).deepCopy();
    before
        .properties()
        .forEach(
            column -> {
              if (both.path(column.getKey()).isMissingNode()
                  || both.path(column.getKey()).isNull()) {
                both.set(column.getKey(), column.getValue());
              }
            });
    return both;
  }

  private static boolean isEnvelope(JsonNode tree) {
    return tree.path("op").isTextual() && tree.path("source").isObject();
  }

  private static boolean looksBroken(JsonNode tree) {
    return MARKS.stream().filter(tree::has).count() > 1;
  }

  private static @Nullable ControlKind control(String topic, JsonNode tree) {
    if (tree.size() == 1 && tree.path("ts_ms").isIntegralNumber()) {
      return ControlKind.HEARTBEAT;
    }
    String status = tree.path("status").asText();
    boolean counts = tree.has("event_count") && tree.has("id") && !tree.has("op");
    if (counts
        && topic.endsWith(".transaction")
        && (status.equals("BEGIN") || status.equals("END"))) {
      return ControlKind.TRANSACTION;
    }
    boolean ddl = tree.has("ddl") && tree.has("source") && tree.has("databaseName");
    return ddl && !tree.has("op") ? ControlKind.SCHEMA_CHANGE : null;
  }
}
