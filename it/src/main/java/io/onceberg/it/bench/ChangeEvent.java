package io.onceberg.it.bench;

import java.time.Instant;
import java.util.UUID;

/**
 * One change of the table {@code public.orders}, as Debezium's Postgres connector sees it.
 *
 * @param op {@code c}, {@code u} or {@code d}
 * @param id the primary key
 * @param salt decides the row's contents
 * @param lsn where the change lies in the WAL
 * @param lastCommitLsn the commit before this transaction's, first part of {@code sequence}
 * @param commitMicros when the transaction committed, microseconds since the epoch
 * @param emitDelayMillis how much later the connector saw it
 */
record ChangeEvent(
    char op,
    long id,
    long salt,
    long lsn,
    long lastCommitLsn,
    long txId,
    long commitMicros,
    int emitDelayMillis) {
  private static final String[] STATUSES = {"placed", "paid", "packed", "shipped", "returned"};
  private static final String[] WORDS = {
    "leave",
    "at",
    "the",
    "back",
    "door",
    "please",
    "call",
    "before",
    "noon",
    "gift",
    "wrap",
    "fragile",
    "second",
    "floor",
    "ring",
    "twice",
    "neighbour",
    "has",
    "key",
    "invoice"
  };
  private static final int NOTE_LENGTH = 236;
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  boolean isDelete() {
    return op == 'd';
  }

  long sourceMillis() {
    return commitMicros / 1000;
  }

  long envelopeMicros() {
    return commitMicros + emitDelayMillis * 1000L + (salt & 0x1ff);
  }

  long customerId() {
    return 1 + Long.remainderUnsigned(mixed(1), 50_000);
  }

  String orderNumber() {
    long high = Rng.mix(id * 31 + 7);
    return new UUID((high & ~0xf000L) | 0x4000L, (Rng.mix(high) >>> 2) | 0x8000_0000_0000_0000L)
        .toString();
  }

  String status() {
    return STATUSES[(int) Long.remainderUnsigned(mixed(2), STATUSES.length)];
  }

  /** The amount in cents; the column is {@code numeric(12,2)}. */
  long amountCents() {
    return 99 + Long.remainderUnsigned(mixed(3), 9_999_900);
  }

  int quantity() {
    return 1 + (int) Long.remainderUnsigned(mixed(4), 40);
  }

  double weight() {
    return Long.remainderUnsigned(mixed(5), 100_000) / 1000.0;
  }

  boolean gift() {
    return (mixed(6) & 7) == 0;
  }

  /** Days since the epoch. */
  int placedOn() {
    return (int) (createdAt() / MICROS_PER_DAY);
  }

  /** Microseconds since the epoch; a property of the row, so the same for all its versions. */
  long createdAt() {
    return ChangeStream.EPOCH_MICROS - Long.remainderUnsigned(Rng.mix(id), 30 * MICROS_PER_DAY);
  }

  /** As Debezium writes a {@code timestamptz}. */
  String updatedAt() {
    long micros = commitMicros - 250;
    return Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000).toString();
  }

  String note() {
    StringBuilder note = new StringBuilder(NOTE_LENGTH + 12);
    long bits = mixed(7);
    int length = NOTE_LENGTH - 40 + (int) (bits & 63);
    while (note.length() < length) {
      bits = Rng.mix(bits);
      note.append(WORDS[(int) Long.remainderUnsigned(bits, WORDS.length)]).append(' ');
    }
    return note.toString();
  }

  private long mixed(int column) {
    return Rng.mix(salt + column * 0x9e3779b97f4a7c15L);
  }
}
