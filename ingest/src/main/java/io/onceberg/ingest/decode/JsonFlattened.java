package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Reads a row without envelope, as an unwrap transform leaves it. */
final class JsonFlattened {
  private final JsonTokens tokens;
  private boolean unknown;
  private boolean doubtful;

  JsonFlattened(JsonTokens tokens) {
    this.tokens = tokens;
  }

  /** Whether the last row had a value for a column that the plan does not know. */
  boolean unknown() {
    return unknown;
  }

  /**
   * Whether the last row had fields by which it may be something else than a row: what it is, is to
   * be decided by the whole of it, whatever the record before was.
   */
  boolean doubtful() {
    return doubtful;
  }

  void read(JsonParser parser, RowPlan plan, Envelope out) throws IOException {
    unknown = false;
    doubtful = false;
    boolean deleted = false;
    boolean time = false;
    int marks = 0;
    int expected = 0;
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      RowPlan.Planned field = plan.find(name, expected++);
      JsonToken token = parser.nextToken();
      if (SchemalessJsonValues.MARKS.contains(name)) {
        doubtful |= ++marks > 1;
      }
      doubtful |= name.equals("ddl") || name.equals("event_count");
      time |= name.equals("ts_ms");
      if (name.equals(ValuePlan.FLATTENED_OP)) {
        out.op = op(parser, token);
      } else if (name.equals(ValuePlan.FLATTENED_DELETED)) {
        deleted = token == JsonToken.VALUE_TRUE || parser.getText().equals("true");
        parser.skipChildren();
      } else if (field != null) {
        tokens.feed(parser, field, out.columns);
      } else {
        unknown |= token != JsonToken.VALUE_NULL;
        parser.skipChildren();
      }
    }
    doubtful |= time && expected == 1;
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
