package io.onceberg.ingest.dedup;

import io.onceberg.ingest.decode.Decoded;
import io.onceberg.ingest.decode.EventOrigin;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What lies right before a range: the nearest record, and the keyless changes of the last position,
 * since the range may begin between them.
 */
final class RangeStart {
  /** A page of PostgreSQL holds fewer than 300 rows, and they may have been sent a few times. */
  private static final int FARTHEST = 4_000;

  private final ReadingTools tools;
  private final boolean inOrder;
  private final Deque<ConsumerRecord<byte[], byte[]>> lastPosition = new ArrayDeque<>();
  private @Nullable ConsumerRecord<byte[], byte[]> nearest;
  private @Nullable Long lsn;
  private @Nullable Long txId;
  private boolean whole;
  private int seen;

  /**
   * Knows nothing yet.
   *
   * @param inOrder whether records lie in the order they were sent in; else only the nearest counts
   * @param atBeginning whether the range begins with the partition
   */
  RangeStart(ReadingTools tools, boolean inOrder, boolean atBeginning) {
    this.tools = tools;
    this.inOrder = inOrder;
    this.whole = inOrder && atBeginning;
  }

  /** Takes records before the range, the nearest window first; whether more are wanted. */
  boolean take(List<ConsumerRecord<byte[], byte[]>> window) {
    for (int i = window.size() - 1; i >= 0; i--) {
      ConsumerRecord<byte[], byte[]> record = window.get(i);
      if (nearest == null) {
        nearest = record;
      }
      if (!inOrder || ++seen > FARTHEST) {
        return false;
      }
      whole = record.offset() == 0;
      Decoded decoded = tools.decoder().decode(record);
      EventOrigin origin = decoded.origin();
      if (origin != null && isOfLastPosition(origin)) {
        lastPosition.addFirst(record);
      } else if (decoded instanceof Decoded.Change) {
        whole = true;
        return false;
      }
    }
    return true;
  }

  private boolean isOfLastPosition(EventOrigin origin) {
    if (!tools.identities().isKeyless(origin)) {
      return false;
    }
    if (lsn == null) {
      lsn = origin.lsn();
      txId = origin.txId();
    }
    return Objects.equals(lsn, origin.lsn()) && Objects.equals(txId, origin.txId());
  }

  /** The record right before the range; null when Kafka has none. */
  @Nullable ConsumerRecord<byte[], byte[]> nearest() {
    return nearest;
  }

  /** Brings ranks to where they are after what lies before the range. */
  void replay(EqualRanks ranks) {
    ranks.begin(whole);
    for (ConsumerRecord<byte[], byte[]> record : lastPosition) {
      Decoded decoded = tools.decoder().decode(record);
      EventOrigin origin = Objects.requireNonNull(decoded.origin());
      if (decoded instanceof Decoded.Change change
          && tools.identities().identify(change, record.partition(), record.offset())
              instanceof Identity identity) {
        ranks.next(origin, identity);
      } else {
        ranks.pass(origin);
      }
    }
  }
}
