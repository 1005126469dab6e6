package io.onceberg.it.soak;

import io.onceberg.it.platform.LocalDaemonProcess;
import io.onceberg.it.platform.LocalStack;
import io.onceberg.it.platform.Service;
import io.onceberg.it.stack.Deadline;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.StackException;
import io.onceberg.keystore.CrashPoint;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parts that are killed or paused, daemons that die at a crash point, a second daemon, and others
 * who change topics and tables; one after the other, with time to work in between.
 */
final class PartTroubles implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(PartTroubles.class);
  private static final int SHORTEST_PAUSE_MILLIS = 10_000;
  private static final int LONGEST_PAUSE_MILLIS = 25_000;
  private static final int LONGEST_OUTAGE_MILLIS = 3_000;
  private static final int LONGEST_HALT_MILLIS = 5_000;
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final Duration WORK = Duration.ofSeconds(60);
  private static final Duration CRASH = Duration.ofSeconds(60);
  private static final Duration SECOND_AT_WORK = Duration.ofSeconds(60);
  private static final List<CrashPoint> CRASH_POINTS =
      List.of(
          CrashPoint.READ,
          CrashPoint.JOB_DONE,
          CrashPoint.FILES_STAGED,
          CrashPoint.METADATA_WRITTEN,
          CrashPoint.POINTERS_MOVED,
          CrashPoint.BEFORE_ACK);

  private final LocalStack stack;
  private final Daemons daemons;
  private final Others others;
  private final ReentrantLock parts;
  private final Random random;
  private final FaultTally tally;
  private final BooleanSupplier over;

  PartTroubles(
      LocalStack stack,
      Daemons daemons,
      Others others,
      ReentrantLock parts,
      long seed,
      FaultTally tally,
      BooleanSupplier over) {
    this.stack = stack;
    this.daemons = daemons;
    this.others = others;
    this.parts = parts;
    this.random = new Random(seed);
    this.tally = tally;
    this.over = over;
  }

  @Override
  public void run() {
    while (!over.getAsBoolean()) {
      pause(SHORTEST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS);
      awaitWork();
      int draw = random.nextInt(100);
      if (!over.getAsBoolean()) {
        parts.lock();
        try {
          trouble(draw);
        } catch (StackException e) {
          LOG.warn("a part takes long to start; whoever looks after it goes on", e);
        } finally {
          parts.unlock();
        }
      }
    }
  }

  /** Until the daemon has committed something since it was started: there is work to interrupt. */
  private void awaitWork() {
    awaitOutput(daemons.current(), "batch target=", WORK);
  }

  /** Looks now and then, and says whether the text is there before the time is up. */
  private boolean awaitOutput(LocalDaemonProcess daemon, String text, Duration time) {
    Deadline deadline = Deadline.in(time);
    while (!daemon.output().contains(text)) {
      if (over.getAsBoolean() || deadline.passed()) {
        return false;
      }
      Deadline.in(LOOK).await(over);
    }
    return true;
  }

  private void trouble(int draw) {
    if (draw < 18) {
      killDaemon();
    } else if (draw < 36) {
      crash(one(CRASH_POINTS), 1 + random.nextInt(3));
    } else if (draw < 44) {
      twoDaemons();
    } else if (draw < 54) {
      halt();
    } else if (draw < 88) {
      kill(one(List.of(Service.values())));
    } else {
      others.interfere(random).ifPresentOrElse(tally::hit, tally::missed);
    }
  }

  private void killDaemon() {
    record("kill/daemon", daemons.kill());
    pause(0, LONGEST_OUTAGE_MILLIS);
    daemons.start();
  }

  /** The daemon is killed, and the next one dies at a step of its protocol. */
  private void crash(CrashPoint point, int time) {
    record("kill/daemon", daemons.kill());
    LocalDaemonProcess armed = daemons.startArmed(Map.of(CrashPoint.PROPERTY, point + ":" + time));
    boolean crashed = Deadline.in(CRASH).await(() -> !armed.alive() || over.getAsBoolean());
    record(
        "crash point/" + point.name().toLowerCase(Locale.ROOT),
        crashed && armed.exitStatus().orElse(0) == CrashPoint.EXIT_STATUS);
    armed.kill();
    pause(0, LONGEST_OUTAGE_MILLIS);
    daemons.start();
  }

  /** Two at work on the same tables, until either of them is killed. */
  private void twoDaemons() {
    LocalDaemonProcess first = daemons.current();
    LocalDaemonProcess second = daemons.startSecond();
    boolean older = random.nextBoolean();
    boolean both = awaitOutput(second, "plan target=", SECOND_AT_WORK);
    pause(1_000, LONGEST_HALT_MILLIS);
    record("second daemon", both && first.alive() && second.alive());
    if (older) {
      first.kill();
      daemons.replaceBy(second);
    } else {
      second.kill();
    }
  }

  private void halt() {
    List<Service> services = List.of(Service.values());
    int which = random.nextInt(services.size() + 1);
    if (which == services.size()) {
      haltDaemon();
    } else {
      halt(services.get(which));
    }
  }

  private void haltDaemon() {
    LocalDaemonProcess daemon = daemons.current();
    boolean alive = daemon.alive();
    daemon.pause();
    pause(500, LONGEST_HALT_MILLIS);
    daemon.resume();
    record("pause/daemon", alive);
  }

  private void halt(Service service) {
    Optional<OwnedProcess> process = stack.process(service).filter(OwnedProcess::alive);
    process.ifPresent(OwnedProcess::pause);
    pause(500, LONGEST_HALT_MILLIS);
    process.ifPresent(OwnedProcess::resume);
    record("pause/" + name(service), process.isPresent());
  }

  private void kill(Service service) {
    boolean alive = stack.process(service).filter(OwnedProcess::alive).isPresent();
    stack.kill(service);
    record("kill/" + name(service), alive);
    pause(0, LONGEST_OUTAGE_MILLIS);
    stack.launch(service);
  }

  private void record(String kind, boolean hit) {
    if (hit) {
      tally.hit(kind);
    } else {
      tally.missed();
    }
  }

  private static String name(Service service) {
    return service.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private <T> T one(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private void pause(int shortest, int longest) {
    Duration time = Duration.ofMillis(shortest + random.nextInt(longest - shortest));
    Deadline.in(time).await(over);
  }
}
