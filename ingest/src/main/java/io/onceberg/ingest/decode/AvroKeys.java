package io.onceberg.ingest.decode;

import io.onceberg.keystore.TargetLayout;

/** Reads keys that are Avro of a schema registry. */
final class AvroKeys implements KeyReader {
  private final AvroPlans<KeyFit> plans;
  private final AvroInput in = new AvroInput();

  AvroKeys(DecodeSettings settings, TargetLayout layout, SchemaRegistry registry) {
    plans = new AvroPlans<>(registry, schema -> KeyFit.of(schema, settings, layout.key()));
  }

  @Override
  public void renew() {
    plans.renew();
  }

  @Override
  public void read(String topic, byte[] key, RecordKey out) {
    try {
      AvroPlans.Plan<KeyFit> plan = plans.of(key);
      in.start(key, RegistryAvroConverter.HEADER_BYTES);
      AvroStep step = plan.step().enter(in);
      if (step == null) {
        return;
      }
      KeyFit fit = plan.meaning();
      if (!fit.fit().ready()) {
        step.skip(in);
      } else {
        build(step, fit);
      }
      out.built(fit);
    } catch (RefusedValue e) {
      throw new RefusedValue(e.code(), "key: " + e.detail());
    }
  }

  private void build(AvroStep step, KeyFit fit) {
    RowBuilder row = fit.builder();
    row.start();
    if (!fit.single() && step instanceof AvroStep.RecordStep record) {
      record.row(in, fit.fit().plan(), row);
    } else {
      step.feed(in, fit.fit().plan().field(0), row);
    }
  }
}
