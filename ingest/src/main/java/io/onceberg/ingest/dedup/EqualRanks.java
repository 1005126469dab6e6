package io.onceberg.ingest.dedup;

import io.onceberg.ingest.decode.EventOrigin;
import io.onceberg.ingest.decode.Op;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Numbers equal changes of tables without a key among those of one position, in a topic whose
 * records lie in the order they were sent in.
 *
 * <p>Rows that a COPY has put into one page of the table share an LSN, and lie side by side. A
 * connector that starts again sends all of them again or none, in the same order, however far it
 * has come before. So the number of equal rows before one says which of them it is. The ordinal of
 * Debezium does not: after a start in mid-transaction it is counted from 1 again. It shows where
 * the rows of one position begin anew, since it rises by 1 among those that were sent in one go.
 * Where it rises by more, rows between them were left out, or come from two connectors at once.
 */
final class EqualRanks {
  /** Nothing is known of what lies before. */
  static final int UNKNOWN = -1;

  /** The rows before it are not all there are, or were not sent with it. */
  static final int TORN = -2;

  private record Row(Op op, long contentHigh, long contentLow) {}

  private final Map<Row, Integer> seen = new HashMap<>();
  private int first;
  private @Nullable UTF8String source;
  private long lsn;
  private long txId;
  private long ordinal;

  /**
   * Forgets all.
   *
   * @param whole whether no change of the next one's position lies before it
   */
  void begin(boolean whole) {
    first = whole ? 0 : UNKNOWN;
    source = null;
    seen.clear();
  }

  /**
   * How many equal changes of its position were sent before this one; or {@link #UNKNOWN} or {@link
   * #TORN}.
   */
  int next(EventOrigin origin, Identity identity) {
    long order = Objects.requireNonNull(origin.ordinal());
    if (source == null) {
      take(origin);
    } else if (!isAt(origin) || order <= ordinal) {
      begin(true);
      take(origin);
    } else if (order > ordinal + 1) {
      first = TORN;
    }
    ordinal = order;
    int rank =
        seen.merge(
                new Row(origin.op(), identity.contentHigh(), identity.contentLow()),
                1,
                Integer::sum)
            - 1;
    return first < 0 ? first : rank;
  }

  private void take(EventOrigin origin) {
    source = Objects.requireNonNull(origin.source()).clone();
    lsn = Objects.requireNonNull(origin.lsn());
    txId = number(origin.txId());
  }

  private boolean isAt(EventOrigin origin) {
    return Objects.requireNonNull(origin.lsn()) == lsn
        && number(origin.txId()) == txId
        && Objects.equals(origin.source(), source);
  }

  private static long number(@Nullable Long txId) {
    return txId == null ? -1 : txId;
  }
}
