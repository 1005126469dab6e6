package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads the envelope of a change event from JSON tokens, in one pass and in any field order. */
final class JsonEnvelopes {
  private final JsonTokens tokens;
  private byte[] json = new byte[0];
  private int beforeFrom;
  private int beforeLength;
  private boolean foreign;
  private boolean unknown;

  JsonEnvelopes(JsonTokens tokens) {
    this.tokens = tokens;
  }

  /** Whether the last envelope had a field that Debezium's have not. */
  boolean foreign() {
    return foreign;
  }

  /** Whether a state of the last envelope had a value for a column that the plan does not know. */
  boolean unknown() {
    return unknown;
  }

  /**
   * Reads an envelope.
   *
   * @param parser stands on the start of the envelope's object
   * @param offset where in {@code bytes} the parser's input begins
   * @param rows the plan of the states; null to leave them out
   */
  void read(
      JsonParser parser,
      byte[] bytes,
      int offset,
      @Nullable RowPlan rows,
      boolean keyless,
      Envelope out)
      throws IOException {
    json = bytes;
    foreign = false;
    unknown = false;
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      JsonToken token = parser.nextToken();
      switch (name) {
        case "after" -> after(parser, token, rows, out);
        case "before" -> before(parser, token, offset, out);
        case "source" -> source(parser, token, out);
        case "op" -> out.op = op(parser, token);
        case "ts_ms" -> out.times().millis(JsonTokens.integer(parser));
        case "ts_us" -> out.times().micros(JsonTokens.integer(parser));
        case "ts_ns" -> out.times().nanos(JsonTokens.integer(parser));
        case "transaction" -> transaction(parser, token, out);
        case "message" -> parser.skipChildren();
        default -> {
          foreign = true;
          parser.skipChildren();
        }
      }
    }
    if (rows != null && out.hasBefore) {
      states(rows, keyless, out);
    }
  }

  private void after(JsonParser parser, JsonToken token, @Nullable RowPlan rows, Envelope out)
      throws IOException {
    out.columns.start();
    out.hasAfter = isObject(token, "after");
    if (out.hasAfter) {
      if (rows == null) {
        parser.skipChildren();
      } else {
        unknown |= tokens.row(parser, rows, out.columns);
      }
    }
  }

  /** Whether it is needed shows only with {@code op}, which comes later. */
  private void before(JsonParser parser, JsonToken token, int offset, Envelope out)
      throws IOException {
    out.hasBefore = isObject(token, "before");
    if (out.hasBefore) {
      int start = (int) parser.currentTokenLocation().getByteOffset();
      parser.skipChildren();
      beforeFrom = offset + start;
      beforeLength = (int) parser.currentLocation().getByteOffset() - start;
    }
  }

  private void states(RowPlan rows, boolean keyless, Envelope out) throws IOException {
    if (out.op == 'd') {
      out.columns.start();
      beforeRow(rows, out.columns);
    } else if (keyless) {
      out.previous.start();
      beforeRow(rows, out.previous);
    }
  }

  private void beforeRow(RowPlan rows, RowBuilder row) throws IOException {
    try (JsonParser parser = JsonTokens.parser(json, beforeFrom, beforeLength)) {
      parser.nextToken();
      unknown |= tokens.row(parser, rows, row);
    }
  }

  private void source(JsonParser parser, JsonToken token, Envelope out) throws IOException {
    out.startSource();
    out.hasSource = isObject(token, "source");
    if (!out.hasSource) {
      return;
    }
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      JsonToken value = parser.nextToken();
      switch (name) {
        case "connector" -> out.connector = connector(parser, value);
        case "name" -> part(SourceName.NAME, parser, value, out);
        case "db" -> part(SourceName.DATABASE, parser, value, out);
        case "schema" -> part(SourceName.SCHEMA, parser, value, out);
        case "table" -> part(SourceName.TABLE, parser, value, out);
        case "lsn" -> out.lsn = JsonTokens.integer(parser);
        case "txId" -> out.txId = JsonTokens.integer(parser);
        case "ts_ms" -> out.sourceTimes().millis(JsonTokens.integer(parser));
        case "ts_us" -> out.sourceTimes().micros(JsonTokens.integer(parser));
        case "ts_ns" -> out.sourceTimes().nanos(JsonTokens.integer(parser));
        default -> parser.skipChildren();
      }
    }
  }

  private @Nullable String connector(JsonParser parser, JsonToken token) throws IOException {
    if (token != JsonToken.VALUE_STRING) {
      parser.skipChildren();
      return null;
    }
    String written = parser.getText();
    return written.equals(Envelope.POSTGRES) ? Envelope.POSTGRES : written;
  }

  private void part(int part, JsonParser parser, JsonToken token, Envelope out) throws IOException {
    if (token == JsonToken.VALUE_STRING) {
      tokens.text(parser);
      out.sourceName.put(part, tokens.bytes(), 0, tokens.length());
    } else {
      parser.skipChildren();
      out.sourceName.remove(part);
    }
  }

  private void transaction(JsonParser parser, JsonToken token, Envelope out) throws IOException {
    out.ordinal = null;
    if (token != JsonToken.START_OBJECT) {
      parser.skipChildren();
      return;
    }
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      if (name.equals("data_collection_order")) {
        out.ordinal = JsonTokens.integer(parser);
      } else {
        parser.skipChildren();
      }
    }
  }

  private static char op(JsonParser parser, JsonToken token) throws IOException {
    if (token == JsonToken.VALUE_STRING && parser.getTextLength() == 1) {
      return parser.getText().charAt(0);
    }
    parser.skipChildren();
    return 0;
  }

  private static boolean isObject(JsonToken token, String name) {
    if (token != JsonToken.START_OBJECT && token != JsonToken.VALUE_NULL) {
      throw RefusedValue.undecodable("%s is no object but %s".formatted(name, token));
    }
    return token == JsonToken.START_OBJECT;
  }
}
