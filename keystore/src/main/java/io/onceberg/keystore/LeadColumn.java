package io.onceberg.keystore;

import io.onceberg.keystore.keyfile.KeyColumns;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;

/**
 * A column by whose bounds files are left out of a lookup.
 *
 * @param position its place in a row of the schema
 */
record LeadColumn(int position, NestedField field) {
  /**
   * Those of the named columns that the schema has and that have usable bounds: NaN lies outside
   * those of floating-point columns, and nested columns have none.
   */
  static List<LeadColumn> of(Schema schema, List<String> names) {
    List<LeadColumn> leads = new ArrayList<>();
    for (int i = 0; i < schema.columns().size(); i++) {
      NestedField field = schema.columns().get(i);
      if (names.contains(field.name()) && KeyColumns.canLead(field.type())) {
        leads.add(new LeadColumn(i, field));
      }
    }
    return leads;
  }

  static int[] ids(List<LeadColumn> leads) {
    return leads.stream().mapToInt(l -> l.field().fieldId()).toArray();
  }
}
