package io.onceberg.keystore.keyfile;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;

/**
 * The identities of a batch by what they are looked for. Each is looked for by its first lead
 * column that is not null: change events by LSN, snapshot rows, which have none, by their content
 * hash. Used by one thread.
 */
public final class KeyBatch {
  private final List<@Nullable LeadValues> leads = new ArrayList<>();
  private final boolean anyWithoutLead;

  public KeyBatch(KeyColumns columns, List<UnsafeRow> identities) {
    List<UnsafeRow> rest = identities;
    for (int place : columns.leads()) {
      List<UnsafeRow> with = rest;
      List<UnsafeRow> without = List.of();
      if (anyNull(rest, place)) {
        with = new ArrayList<>();
        without = new ArrayList<>();
        for (UnsafeRow row : rest) {
          (row.isNullAt(place) ? without : with).add(row);
        }
      }
      leads.add(
          with.isEmpty() ? null : LeadValues.of(columns.columns().get(place).type(), place, with));
      rest = without;
    }
    this.anyWithoutLead = !rest.isEmpty();
  }

  private static boolean anyNull(List<UnsafeRow> rows, int place) {
    for (UnsafeRow row : rows) {
      if (row.isNullAt(place)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether any identity that is looked for by this lead column may lie within a file's bounds.
   *
   * @param lower Iceberg's single-value form; null when not known
   * @param upper the same
   */
  public boolean mayBeIn(int lead, byte @Nullable [] lower, byte @Nullable [] upper) {
    LeadValues values = leads.get(lead);
    return values != null && values.mayBeIn(lower, upper);
  }

  /** Whether any identity has a null in every lead column. */
  public boolean anyWithoutLead() {
    return anyWithoutLead;
  }

  @Nullable LeadValues lead(int number) {
    return leads.get(number);
  }
}
