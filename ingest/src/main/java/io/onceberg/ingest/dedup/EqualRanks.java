package io.onceberg.ingest.dedup;

import io.onceberg.ingest.decode.EventOrigin;
import io.onceberg.ingest.decode.Op;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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
 * Debezium does not: after a start in mid-transaction it is counted from 1 again. But among those
 * that were sent in one go it rises by 1. One that was there before is a record that the producer
 * has sent twice. It begins at 1 where a connector has started right before this position, since
 * nothing of another lies between. All else was torn: rows were left out, or two connectors are at
 * work at once.
 */
final class EqualRanks {
  /** The ordinal that a connector begins with. */
  static final long FIRST = 1;

  /** Nothing is known of what lies before. */
  static final int UNKNOWN = -1;

  /** The rows before it are not all there are, or were not sent with it. */
  static final int TORN = -2;

  private record Contents(Op op, long high, long low) {}

  private record Sent(Contents contents, int rank) {}

  /** What was sent in one go, by ordinal from the first on; null for what cannot be read. */
  private final List<@Nullable Sent> sent = new ArrayList<>();

  private Map<Contents, Integer> counts = new HashMap<>();
  private long first;
  private int verdict;
  private @Nullable UTF8String source;
  private long lsn;
  private long txId;

  /**
   * Forgets all.
   *
   * @param whole whether no change of the next one's position lies before it
   */
  void begin(boolean whole) {
    verdict = whole ? 0 : UNKNOWN;
    source = null;
  }

  /** Takes a change that cannot be read, but whose place is known. */
  void pass(EventOrigin origin) {
    if (moveTo(origin) == sent.size()) {
      sent.add(null);
    }
  }

  /**
   * How many equal changes of its position were sent before this one; or {@link #UNKNOWN} or {@link
   * #TORN}.
   */
  int next(EventOrigin origin, Identity identity) {
    int at = moveTo(origin);
    if (verdict < 0) {
      return verdict;
    }
    Contents contents = new Contents(origin.op(), identity.contentHigh(), identity.contentLow());
    if (at == sent.size()) {
      sent.add(new Sent(contents, counts.merge(contents, 1, Integer::sum) - 1));
    }
    Sent known = sent.get(at);
    return known != null && known.contents().equals(contents) ? known.rank() : TORN;
  }

  /** The place among what is sent in one go; at most its size, unless all is torn. */
  private int moveTo(EventOrigin origin) {
    long ordinal = Objects.requireNonNull(origin.ordinal());
    if (!isAt(origin)) {
      if (source != null) {
        verdict = 0;
      }
      if (source == null || !source.equals(origin.source())) {
        source = Objects.requireNonNull(origin.source()).clone();
      }
      lsn = Objects.requireNonNull(origin.lsn());
      txId = number(origin.txId());
      beginAt(ordinal);
    } else if (ordinal == FIRST && (first != FIRST || verdict < 0)) {
      verdict = 0;
      beginAt(FIRST);
    }
    long at = ordinal - first;
    if (at < 0 || at > sent.size()) {
      verdict = verdict == UNKNOWN ? UNKNOWN : TORN;
    }
    return (int) at;
  }

  private void beginAt(long ordinal) {
    first = ordinal;
    sent.clear();
    counts = new HashMap<>(4);
  }

  private boolean isAt(EventOrigin origin) {
    return source != null
        && Objects.requireNonNull(origin.lsn()) == lsn
        && number(origin.txId()) == txId
        && source.equals(origin.source());
  }

  private static long number(@Nullable Long txId) {
    return txId == null ? -1 : txId;
  }
}
