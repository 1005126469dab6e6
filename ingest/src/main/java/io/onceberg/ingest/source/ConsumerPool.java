package io.onceberg.ingest.source;

import io.onceberg.keystore.SourcePartition;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * The idle consumers of one JVM. Opening one costs about 50 ms, and one that comes back to the
 * partition it left has the next records in its buffer already.
 */
final class ConsumerPool {
  /** Idle consumers beyond this are closed; each may hold one fetch in memory. */
  private static final int MOST_IDLE = 8;

  private static final ConsumerPool SHARED = new ConsumerPool();
  private static final AtomicInteger NUMBER = new AtomicInteger();

  /** The longest idle first. */
  private final ArrayDeque<PooledConsumer> idle = new ArrayDeque<>();

  static ConsumerPool shared() {
    return SHARED;
  }

  /** A consumer that stands at this offset if there is one, else any that can be moved there. */
  PooledConsumer borrow(Map<String, Object> properties, SourcePartition partition, long offset) {
    return take(c -> c.properties().equals(properties) && c.standsAt(partition, offset))
        .or(() -> isFull() ? take(c -> c.properties().equals(properties)) : Optional.empty())
        .orElseGet(() -> open(properties));
  }

  private static PooledConsumer open(Map<String, Object> properties) {
    Object prefix = properties.getOrDefault("client.id", "onceberg");
    return new PooledConsumer(properties, prefix + "-reader-" + NUMBER.incrementAndGet());
  }

  private synchronized boolean isFull() {
    return idle.size() >= MOST_IDLE;
  }

  private synchronized Optional<PooledConsumer> take(Predicate<PooledConsumer> wanted) {
    for (Iterator<PooledConsumer> all = idle.iterator(); all.hasNext(); ) {
      PooledConsumer consumer = all.next();
      if (wanted.test(consumer)) {
        all.remove();
        return Optional.of(consumer);
      }
    }
    return Optional.empty();
  }

  /** Takes back a consumer that works. */
  void giveBack(PooledConsumer consumer) {
    PooledConsumer surplus;
    synchronized (this) {
      idle.addLast(consumer);
      surplus = idle.size() > MOST_IDLE ? idle.removeFirst() : null;
    }
    if (surplus != null) {
      surplus.close();
    }
  }

  /** Closes all that are idle. */
  void closeIdle() {
    Optional<PooledConsumer> consumer = take(any -> true);
    while (consumer.isPresent()) {
      consumer.get().close();
      consumer = take(any -> true);
    }
  }
}
