package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.onceberg.keystore.TargetLayout;
import java.io.IOException;
import org.apache.kafka.connect.json.JsonConverter;

/** Reads values that are JSON with an embedded schema. */
final class JsonValues implements ValueReader {
  private final JsonConverter schemas;
  private final JsonDocument<ValuePlan> documents;
  private final JsonTokens tokens = new JsonTokens();
  private final JsonEnvelopes envelopes = new JsonEnvelopes(tokens);
  private final JsonFlattened flattened = new JsonFlattened(tokens);

  JsonValues(DecodeSettings settings, TargetLayout layout, JsonConverter schemas) {
    this.schemas = schemas;
    this.documents = new JsonDocument<>(schemas, s -> ValuePlan.of(s, settings, layout));
  }

  @Override
  public void read(String topic, byte[] value, boolean keyless, Envelope out) {
    try {
      JsonDocument.Payload<ValuePlan> seen = documents.recognise(value);
      if (seen != null) {
        int end = payload(value, seen, keyless, out);
        if (JsonDocument.endsAt(value, end)) {
          return;
        }
        out.start();
      }
      payload(value, documents.read(value), keyless, out);
    } catch (IOException e) {
      throw JsonTokens.notJson("", e);
    }
  }

  /** Reads the payload and returns where it ends. */
  private int payload(
      byte[] json, JsonDocument.Payload<ValuePlan> payload, boolean keyless, Envelope out)
      throws IOException {
    if (payload.length() == 0) {
      out.shape = Envelope.Shape.TOMBSTONE;
      return payload.from();
    }
    ValuePlan plan = payload.plan();
    plan.begin(out);
    try (JsonParser parser = JsonTokens.parser(json, payload.from(), payload.length())) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw RefusedValue.undecodable("the payload is no object but " + parser.currentToken());
      }
      if (out.shape == Envelope.Shape.CHANGE) {
        envelopes.read(parser, json, payload.from(), plan.readable(), keyless, out);
        plan.undeclared().forEach(out::forget);
      } else if (out.shape == Envelope.Shape.FLATTENED && plan.readable() != null) {
        flattened.read(parser, plan.readable(), out);
      } else {
        parser.skipChildren();
      }
      return payload.from() + (int) parser.currentLocation().getByteOffset();
    }
  }

  @Override
  public void close() {
    schemas.close();
  }
}
