package io.onceberg.keystore;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/**
 * Says which files may hold an identity of a batch.
 *
 * <p>Each identity is looked for by its first lead column that is not null: change events by LSN,
 * snapshot rows, which have none, by their content hash. A file without a null in the LSN holds no
 * snapshot row, and one with nothing else holds no change event.
 */
final class LeadFilter {
  private final List<LeadColumn> leads;
  private final List<@Nullable LeadRange> ranges = new ArrayList<>();
  private final boolean anyWithoutLead;

  LeadFilter(List<LeadColumn> leads, List<? extends InternalRow> identities) {
    this.leads = leads;
    List<? extends InternalRow> rest = identities;
    for (LeadColumn lead : leads) {
      List<InternalRow> with = new ArrayList<>();
      List<InternalRow> without = new ArrayList<>();
      for (InternalRow row : rest) {
        (row.isNullAt(lead.position()) ? without : with).add(row);
      }
      ranges.add(with.isEmpty() ? null : LeadRange.of(lead, with));
      rest = without;
    }
    this.anyWithoutLead = !rest.isEmpty();
  }

  /** A filter for the file's row groups; false when it holds no identity of the batch. */
  Expression of(StoredFile file) {
    Expression any = Expressions.alwaysFalse();
    Expression earlierNull = Expressions.alwaysTrue();
    for (int i = 0; i < leads.size(); i++) {
      StoredFile.Bounds bounds = file.bounds()[i];
      LeadRange range = ranges.get(i);
      if (range != null && !file.allNull(i) && range.mayBeIn(bounds)) {
        any = Expressions.or(any, Expressions.and(earlierNull, range.filter(bounds)));
      }
      if (!bounds.mayHoldNull()) {
        return any;
      }
      earlierNull = Expressions.and(earlierNull, Expressions.isNull(leads.get(i).field().name()));
    }
    return anyWithoutLead ? Expressions.or(any, earlierNull) : any;
  }
}
