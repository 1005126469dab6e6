package io.onceberg.ingest.decode;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.connect.data.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Plans by schema. Converters hand out one schema object again and again, so identity comes first.
 */
final class PlanCache<P> {
  private static final int KEPT = 256;

  private final Function<Schema, P> planner;
  private final Map<Schema, P> plans = new HashMap<>();
  private @Nullable Schema lastSchema;
  private @Nullable P lastPlan;

  PlanCache(Function<Schema, P> planner) {
    this.planner = planner;
  }

  @SuppressWarnings("ReferenceEquality") // equality of schemas is deep, and tried second
  P of(Schema schema) {
    if (schema == lastSchema && lastPlan != null) {
      return lastPlan;
    }
    if (plans.size() >= KEPT) {
      plans.clear();
    }
    P plan = plans.computeIfAbsent(schema, planner);
    lastSchema = schema;
    lastPlan = plan;
    return plan;
  }
}
