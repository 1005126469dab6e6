package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.onceberg.keystore.TargetLayout;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.storage.Converter;

/** Reads keys through a Kafka Connect converter. */
final class ConnectKeys implements KeyReader {
  private final Converter converter;
  private final PlanCache<KeyFit> plans;
  private final SchemalessJsonKeys schemaless;

  ConnectKeys(DecodeSettings settings, TargetLayout layout, Converter converter) {
    this.converter = converter;
    this.plans = new PlanCache<>(schema -> KeyFit.of(schema, settings, layout.key()));
    this.schemaless = new SchemalessJsonKeys(settings, layout);
  }

  @Override
  public void read(String topic, byte[] key, RecordKey out) {
    try {
      SchemaAndValue data = ConnectData.of(converter, topic, key);
      if (data.value() == null) {
        return;
      }
      if (data.schema() == null) {
        schemaless.read(topic, json(data.value()), out);
      } else {
        read(data.schema(), data.value(), out);
      }
    } catch (RefusedValue e) {
      throw new RefusedValue(e.code(), "key: " + e.detail());
    }
  }

  private void read(Schema schema, Object value, RecordKey out) {
    KeyFit fit = plans.of(schema);
    if (fit.fit().ready()) {
      RowBuilder row = fit.builder();
      row.start();
      if (fit.single()) {
        row.of(fit.fit().plan().field(0), value);
      } else if (value instanceof Struct struct) {
        ConnectValues.row(struct, fit.fit().plan(), row);
      }
    }
    out.built(fit);
  }

  static byte[] json(Object value) {
    try {
      return JsonTokens.MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw RefusedValue.undecodable("no JSON value: " + e.getOriginalMessage());
    }
  }

  @Override
  public void close() {
    ConnectData.close(converter);
  }
}
