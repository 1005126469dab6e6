package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Reads a row without envelope, as an unwrap transform leaves it. */
final class JsonFlattened {
  private final JsonTokens tokens;
  private boolean unknown;
  private boolean enveloped;

  JsonFlattened(JsonTokens tokens) {
    this.tokens = tokens;
  }

  /** Whether the last row had a value for a column that the plan does not know. */
  boolean unknown() {
    return unknown;
  }

  /** Whether the last row had a field that envelopes have. */
  boolean enveloped() {
    return enveloped;
  }

  void read(JsonParser parser, RowPlan plan, Envelope out) throws IOException {
    unknown = false;
    enveloped = false;
    boolean deleted = false;
    int expected = 0;
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      RowPlan.Planned field = plan.find(name, expected++);
      JsonToken token = parser.nextToken();
      if (name.equals(ValuePlan.FLATTENED_OP)) {
        out.op = op(parser, token);
      } else if (name.equals(ValuePlan.FLATTENED_DELETED)) {
        deleted = token == JsonToken.VALUE_TRUE || parser.getText().equals("true");
        parser.skipChildren();
      } else if (field != null) {
        tokens.feed(parser, field, out.columns);
      } else {
        unknown |= token != JsonToken.VALUE_NULL;
        enveloped |= name.equals("op") || name.equals("source");
        parser.skipChildren();
      }
    }
    out.columns.requireAll(plan);
    if (deleted) {
      out.op = 'd';
    }
  }

  private static char op(JsonParser parser, JsonToken token) throws IOException {
    if (token == JsonToken.VALUE_STRING && parser.getTextLength() == 1) {
      return parser.getText().charAt(0);
    }
    parser.skipChildren();
    return 0;
  }
}
