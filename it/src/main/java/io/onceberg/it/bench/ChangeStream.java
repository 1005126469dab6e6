package io.onceberg.it.bench;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;

/**
 * An endless, seeded stream of changes in the order in which a connector delivers them: 30 % new
 * rows, 60 % updates, 10 % deletes.
 *
 * <p>Several transactions write to the WAL at once, so LSNs rise over the WAL; but a transaction is
 * delivered as a whole when it commits, so the LSNs of what is delivered do not rise across
 * transactions.
 */
final class ChangeStream {
  /** 2026-01-15T10:00:00Z. */
  static final long EPOCH_MICROS = 1_768_471_200_000_000L;

  private static final int OPEN_TRANSACTIONS = 6;
  private static final int LARGEST_TRANSACTION = 24;
  private static final int FIRST_ROWS = 100_000;

  private final Rng rng;
  private final Transaction[] open = new Transaction[OPEN_TRANSACTIONS];
  private final Queue<ChangeEvent> committed = new ArrayDeque<>();
  private final Set<Long> locked = new HashSet<>();
  private long[] live = new long[4 * FIRST_ROWS];
  private int liveRows;
  private long nextId = 1;
  private long nextTxId = 751;
  private long lsn = 24_023_128;
  private long lastCommitLsn = lsn;
  private long nowMicros = EPOCH_MICROS;

  ChangeStream(long seed) {
    rng = new Rng(seed);
    while (liveRows < FIRST_ROWS) {
      addLive(nextId++);
    }
    for (int i = 0; i < open.length; i++) {
      open[i] = begin();
    }
  }

  ChangeEvent next() {
    ChangeEvent event = committed.poll();
    while (event == null) {
      write();
      event = committed.poll();
    }
    return event;
  }

  /** One change by one of the open transactions, which may commit with it. */
  private void write() {
    int slot = rng.below(open.length);
    Transaction transaction = open[slot];
    lsn += 72 + rng.below(400);
    transaction.changes.add(change());
    if (transaction.changes.size() == transaction.size) {
      commit(transaction);
      open[slot] = begin();
    }
  }

  private Change change() {
    int die = rng.below(100);
    char op = die < 30 ? 'c' : die < 90 ? 'u' : 'd';
    long id = op == 'c' ? nextId++ : pick(op == 'd');
    locked.add(id);
    return new Change(op, id, rng.next(), lsn);
  }

  /** A row that no open transaction has touched. */
  private long pick(boolean remove) {
    int at = rng.below(liveRows);
    while (locked.contains(live[at])) {
      at = rng.below(liveRows);
    }
    long id = live[at];
    if (remove) {
      live[at] = live[--liveRows];
    }
    return id;
  }

  private void commit(Transaction transaction) {
    lsn += 56;
    nowMicros += 150 + rng.below(2000);
    int delay = 20 + rng.below(400);
    for (Change change : transaction.changes) {
      committed.add(
          new ChangeEvent(
              change.op,
              change.id,
              change.salt,
              change.lsn,
              lastCommitLsn,
              transaction.txId,
              nowMicros,
              delay));
      locked.remove(change.id);
      if (change.op == 'c') {
        addLive(change.id);
      }
    }
    lastCommitLsn = lsn;
  }

  private Transaction begin() {
    return new Transaction(nextTxId++, 1 + rng.below(LARGEST_TRANSACTION), new ArrayList<>());
  }

  private void addLive(long id) {
    if (liveRows == live.length) {
      live = Arrays.copyOf(live, 2 * live.length);
    }
    live[liveRows++] = id;
  }

  private record Change(char op, long id, long salt, long lsn) {}

  private record Transaction(long txId, int size, List<Change> changes) {}
}
