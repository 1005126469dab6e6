package io.onceberg.it.soak;

import io.onceberg.it.platform.Connector;
import io.onceberg.it.platform.LocalStack;
import io.onceberg.it.platform.PlatformException;
import io.onceberg.it.platform.Service;
import io.onceberg.it.stack.Deadline;
import io.onceberg.it.stack.StackException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whoever looks after a platform: starts parts that ended by themselves again, and tasks of the
 * connector that have failed. Whoever kills a part holds the lock meanwhile.
 */
final class Watch implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final LocalStack stack;
  private final Connector connector;
  private final Daemons daemons;
  private final ReentrantLock parts;
  private final BooleanSupplier over;
  private final Map<Service, Integer> endings = new EnumMap<>(Service.class);
  private int failedTasks;

  Watch(
      LocalStack stack,
      Connector connector,
      Daemons daemons,
      ReentrantLock parts,
      BooleanSupplier over) {
    this.stack = stack;
    this.connector = connector;
    this.daemons = daemons;
    this.parts = parts;
    this.over = over;
  }

  @Override
  public void run() {
    while (!over.getAsBoolean()) {
      Deadline.in(LOOK).await(over);
      if (parts.tryLock()) {
        try {
          lookAtParts();
        } catch (StackException e) {
          LOG.warn("a part takes long to start", e);
        } finally {
          parts.unlock();
        }
      }
      lookAtConnector();
    }
  }

  private void lookAtParts() {
    for (Service service : Service.values()) {
      if (stack.process(service).filter(process -> process.alive()).isEmpty()) {
        LOG.warn("{} ended by itself: {}", service, stack.tail(service));
        endings.merge(service, 1, Integer::sum);
        stack.launch(service);
      }
    }
    daemons.revive();
  }

  private void lookAtConnector() {
    try {
      if (connector.states().contains("FAILED")) {
        LOG.warn("the connector failed: {}", connector.states());
        failedTasks++;
        connector.restartFailed();
      }
    } catch (UncheckedIOException | PlatformException e) {
      LOG.info("the Connect worker does not answer yet: {}", e.toString());
    }
  }

  /** How often a service ended although nobody killed it. */
  Map<Service, Integer> endings() {
    return Map.copyOf(endings);
  }

  /** How often a failed task of the connector was started again. */
  int failedTasks() {
    return failedTasks;
  }
}
