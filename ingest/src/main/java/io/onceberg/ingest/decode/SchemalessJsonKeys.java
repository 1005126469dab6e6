package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetLayout;
import java.io.IOException;
import java.util.Set;
import org.apache.iceberg.types.Types;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Reads keys that are JSON without a schema. */
final class SchemalessJsonKeys implements KeyReader {
  private final DecodeSettings settings;
  private final Types.@Nullable StructType table;
  private final @Nullable KeyFit known;
  private final JsonTokens tokens = new JsonTokens();

  SchemalessJsonKeys(DecodeSettings settings, TargetLayout layout) {
    this.settings = settings;
    this.table = layout.key();
    boolean printedOnly = settings.kind() == TargetKind.EVENTS;
    this.known = printedOnly || table == null ? null : ready(table);
  }

  private KeyFit ready(Types.StructType layout) {
    return keyFit(new SourceFit(layout, JsonInference.plan(layout), false, null), layout);
  }

  private KeyFit keyFit(SourceFit fit, Types.StructType layout) {
    return new KeyFit(fit, KeyFit.builder(layout, settings), new KeyText(layout), false);
  }

  @Override
  public void read(String topic, byte[] key, RecordKey out) {
    try {
      if (known == null || !readBy(known, key, out)) {
        readTree(key, out);
      }
    } catch (IOException e) {
      throw JsonTokens.notJson("key: ", e);
    }
  }

  /** False when the key is no object, or has a field that the table does not know. */
  private boolean readBy(KeyFit fit, byte[] key, RecordKey out) throws IOException {
    try (JsonParser parser = tokens.shortParser(key, 0, key.length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      fit.builder().start();
      if (tokens.row(parser, fit.fit().plan(), fit.builder())) {
        return false;
      }
      out.built(fit);
      return true;
    }
  }

  private void readTree(byte[] key, RecordKey out) throws IOException {
    JsonNode tree = JsonTokens.tree(key);
    if (tree == null || tree.isMissingNode()) {
      throw RefusedValue.undecodable("key: no JSON at all");
    }
    if (tree.isNull()) {
      return;
    }
    if (settings.kind() == TargetKind.EVENTS) {
      out.printed(UTF8String.fromString(tree.toString()));
      return;
    }
    ObjectNode object = JsonTokens.MAPPER.createObjectNode();
    if (tree instanceof ObjectNode fields) {
      object = fields;
    } else {
      object.set(KeyFit.SINGLE, tree);
    }
    KeyFit fit = fit(object);
    if (!fit.fit().ready()) {
      out.built(fit);
    } else if (!readBy(fit, JsonTokens.MAPPER.writeValueAsBytes(object), out)) {
      throw RefusedValue.undecodable("key: has a field that the table does not know");
    }
  }

  private KeyFit fit(ObjectNode object) {
    SourceFit fit = JsonInference.fit(object, table, settings.newColumns(), Set.of(), false);
    return keyFit(fit, table == null ? Types.StructType.of() : table);
  }
}
