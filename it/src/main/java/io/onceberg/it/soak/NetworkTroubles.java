package io.onceberg.it.soak;

import io.onceberg.it.net.FaultProxy;
import io.onceberg.it.net.Trouble;
import io.onceberg.it.platform.Link;
import io.onceberg.it.platform.LocalStack;
import io.onceberg.it.stack.Deadline;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Short troubles of the links, one after the other. Several of these may run side by side; each
 * link has one trouble at a time.
 */
final class NetworkTroubles implements Runnable {
  private static final int SHORTEST_MILLIS = 200;
  private static final int LONGEST_MILLIS = 3_000;
  private static final int SHORTEST_PAUSE_MILLIS = 400;
  private static final int LONGEST_PAUSE_MILLIS = 3_500;
  private static final int LONGEST_DELAY_MILLIS = 400;

  /** Those of the daemon, at which it is not always at work, oftener than the connector's. */
  private static final List<Link> LINKS =
      List.of(
          Link.DAEMON_KAFKA,
          Link.DAEMON_CATALOG,
          Link.DAEMON_CATALOG,
          Link.DAEMON_OBJECT_STORE,
          Link.DAEMON_OBJECT_STORE,
          Link.CONNECTOR_KAFKA,
          Link.CONNECTOR_POSTGRES);

  /** The links, and who makes trouble on each of them. */
  static final class Links {
    private final LocalStack stack;
    private final Map<Link, ReentrantLock> locks = new EnumMap<>(Link.class);

    Links(LocalStack stack) {
      this.stack = stack;
      for (Link link : Link.values()) {
        locks.put(link, new ReentrantLock());
      }
    }
  }

  private final Links links;
  private final Random random;
  private final FaultTally tally;
  private final BooleanSupplier over;

  NetworkTroubles(Links links, long seed, FaultTally tally, BooleanSupplier over) {
    this.links = links;
    this.random = new Random(seed);
    this.tally = tally;
    this.over = over;
  }

  @Override
  public void run() {
    while (!over.getAsBoolean()) {
      pause(SHORTEST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS);
      Link link = one(LINKS);
      Trouble trouble = one(List.of(Trouble.values()));
      Duration delay = Duration.ofMillis(1 + random.nextInt(LONGEST_DELAY_MILLIS));
      ReentrantLock lock = links.locks.get(link);
      if (lock != null && lock.tryLock()) {
        try {
          trouble(link, trouble, delay);
        } finally {
          lock.unlock();
        }
      }
    }
  }

  private void trouble(Link link, Trouble trouble, Duration delay) {
    FaultProxy proxy = links.stack.link(link);
    proxy.begin(trouble, delay);
    pause(SHORTEST_MILLIS, LONGEST_MILLIS);
    if (proxy.end() > 0) {
      tally.hit(trouble + "/" + link);
    } else {
      tally.missed();
    }
  }

  private <T> T one(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private void pause(int shortest, int longest) {
    Duration time = Duration.ofMillis(shortest + random.nextInt(longest - shortest));
    Deadline.in(time).await(over);
  }
}
