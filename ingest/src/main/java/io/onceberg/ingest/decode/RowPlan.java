package io.onceberg.ingest.decode;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which field of a source struct goes through which cell to which column. */
final class RowPlan {
  /**
   * One field of the source.
   *
   * @param cell null when the field is left out
   * @param required whether the source's schema allows no null
   */
  record Planned(String name, @Nullable Cell cell, int ordinal, boolean required) {}

  private final Planned[] fields;
  private final Map<String, Planned> byName = new HashMap<>();
  private final Planned[] required;

  RowPlan(List<Planned> fields) {
    this.fields = fields.toArray(Planned[]::new);
    fields.forEach(f -> byName.put(f.name(), f));
    this.required =
        fields.stream().filter(f -> f.required() && f.cell() != null).toArray(Planned[]::new);
  }

  /** The fields that no row may leave out, of those that have a column. */
  Planned[] required() {
    return required;
  }

  int size() {
    return fields.length;
  }

  Planned field(int index) {
    return fields[index];
  }

  /**
   * The field of this name; null when the source has none.
   *
   * @param expected its index if the record keeps the source's order
   */
  @SuppressWarnings("ReferenceEquality") // parsers hand out interned names; equals comes second
  @Nullable Planned find(String name, int expected) {
    if (expected < fields.length) {
      Planned likely = fields[expected];
      if (likely.name == name || likely.name.equals(name)) {
        return likely;
      }
    }
    return byName.get(name);
  }
}
