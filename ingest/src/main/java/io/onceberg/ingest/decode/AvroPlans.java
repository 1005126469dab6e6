package io.onceberg.ingest.decode;

import io.onceberg.error.ErrorCode;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/**
 * What is planned for each schema id that the records of one decoder carry. An id that cannot be
 * used is asked for once in a batch.
 *
 * @param <P> what is planned for a schema
 */
final class AvroPlans<P> {
  /** How to read a schema's values, and what they are. */
  record Plan<P>(AvroStep step, P meaning) {}

  private final SchemaRegistry registry;
  private final Function<org.apache.kafka.connect.data.Schema, P> planner;
  private final Map<Integer, Plan<P>> plans = new HashMap<>();
  private final Map<Integer, RefusedValue> refused = new HashMap<>();
  private int lastId = -1;
  private @Nullable Plan<P> last;

  AvroPlans(SchemaRegistry registry, Function<org.apache.kafka.connect.data.Schema, P> planner) {
    this.registry = registry;
    this.planner = planner;
  }

  Plan<P> of(byte[] bytes) {
    int id = RegistryAvroConverter.schemaId(bytes);
    if (id == lastId && last != null) {
      return last;
    }
    Plan<P> plan = plans.get(id);
    if (plan == null) {
      plan = plan(id);
      plans.put(id, plan);
    }
    lastId = id;
    last = plan;
    return plan;
  }

  /** A registry may learn of a schema later; one that cannot be used stays so. */
  void renew() {
    if (!refused.isEmpty()) {
      refused.values().removeIf(e -> e.code() == ErrorCode.UNKNOWN_SCHEMA_ID);
    }
  }

  private Plan<P> plan(int id) {
    RefusedValue before = refused.get(id);
    if (before != null) {
      throw before;
    }
    try {
      Schema avro = registry.byId(id);
      P meaning =
          planner.apply(AvroSchemas.toConnect(avro)); // refuses recursion, so it comes first
      return new Plan<>(AvroStep.of(avro), meaning);
    } catch (RefusedValue e) {
      refused.put(id, e);
      throw e;
    } catch (DataException e) {
      RefusedValue unusable =
          RefusedValue.undecodable("schema id %d: %s".formatted(id, e.getMessage()));
      refused.put(id, unusable);
      throw unusable;
    }
  }
}
