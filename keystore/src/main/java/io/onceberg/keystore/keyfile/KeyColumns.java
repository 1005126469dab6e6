package io.onceberg.keystore.keyfile;

import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.types.StructType;

/**
 * The columns of key files that a search is about.
 *
 * @param columns an identity's columns in order, then those to be read along
 * @param leads places of the lead columns among them, most telling first
 */
public record KeyColumns(List<NestedField> columns, List<Integer> leads) {
  public KeyColumns {
    columns = List.copyOf(columns);
    leads = List.copyOf(leads);
    for (int lead : leads) {
      if (!LeadType.leads(columns.get(lead).type())) {
        throw new IllegalArgumentException("cannot lead a search: " + columns.get(lead));
      }
    }
  }

  /** Whether a column of this type can be a lead column. */
  public static boolean canLead(org.apache.iceberg.types.Type type) {
    return LeadType.leads(type);
  }

  NestedField lead(int number) {
    return columns.get(leads.get(number));
  }

  LeadType leadType(int number) {
    return LeadType.of(lead(number).type());
  }

  StructType sparkType() {
    return SparkSchemaUtil.convert(new Schema(columns));
  }
}
