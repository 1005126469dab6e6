package io.onceberg.keystore.keyfile;

import java.util.ArrayList;
import java.util.Arrays;
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
  private final int[] withoutLead;

  public KeyBatch(KeyColumns columns, List<UnsafeRow> identities) {
    int[] rest = new int[identities.size()];
    Arrays.setAll(rest, i -> i);
    for (int place : columns.leads()) {
      int[] with = rest;
      int[] without = {};
      List<UnsafeRow> rows = rest.length == identities.size() ? identities : some(identities, rest);
      if (anyNull(rows, place)) {
        with = Arrays.stream(rest).filter(i -> !identities.get(i).isNullAt(place)).toArray();
        without = Arrays.stream(rest).filter(i -> identities.get(i).isNullAt(place)).toArray();
        rows = some(identities, with);
      }
      leads.add(
          with.length == 0
              ? null
              : LeadValues.of(columns.columns().get(place).type(), place, rows, with));
      rest = without;
    }
    this.withoutLead = rest;
  }

  private static List<UnsafeRow> some(List<UnsafeRow> identities, int[] places) {
    return Arrays.stream(places).mapToObj(identities::get).toList();
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
    return withoutLead.length > 0;
  }

  /** Places of the identities that have a null in every lead column. */
  int[] withoutLead() {
    return withoutLead;
  }

  @Nullable LeadValues lead(int number) {
    return leads.get(number);
  }
}
