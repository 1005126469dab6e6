package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.onceberg.keystore.TargetLayout;
import java.io.IOException;
import org.apache.kafka.connect.json.JsonConverter;

/** Reads keys that are JSON with an embedded schema. */
final class JsonKeys implements KeyReader {
  private final JsonConverter schemas;
  private final JsonDocument<KeyFit> documents;
  private final JsonTokens tokens = new JsonTokens();

  JsonKeys(DecodeSettings settings, TargetLayout layout, JsonConverter schemas) {
    this.schemas = schemas;
    this.documents = new JsonDocument<>(schemas, s -> KeyFit.of(s, settings, layout.key()));
  }

  @Override
  public void read(String topic, byte[] key, RecordKey out) {
    try {
      JsonDocument.Payload<KeyFit> seen = documents.recognise(key);
      if (seen != null && JsonDocument.endsAt(key, payload(key, seen, out))) {
        return;
      }
      out.start();
      payload(key, documents.read(key), out);
    } catch (RefusedValue e) {
      throw new RefusedValue(e.code(), "key: " + e.detail());
    } catch (IOException e) {
      throw JsonTokens.notJson("key: ", e);
    }
  }

  private int payload(byte[] json, JsonDocument.Payload<KeyFit> payload, RecordKey out)
      throws IOException {
    if (payload.length() == 0) {
      return payload.from();
    }
    KeyFit fit = payload.plan();
    try (JsonParser parser = tokens.shortParser(json, payload.from(), payload.length())) {
      JsonToken token = parser.nextToken();
      if (fit.fit().ready()) {
        fit.builder().start();
        if (fit.single()) {
          tokens.feed(parser, fit.fit().plan().field(0), fit.builder());
        } else if (token == JsonToken.START_OBJECT) {
          tokens.row(parser, fit.fit().plan(), fit.builder());
        } else {
          throw RefusedValue.undecodable("the payload is no object but " + token);
        }
      } else {
        parser.skipChildren();
      }
      out.built(fit);
      return payload.from() + (int) parser.currentLocation().getByteOffset();
    }
  }

  @Override
  public void close() {
    schemas.close();
  }
}
