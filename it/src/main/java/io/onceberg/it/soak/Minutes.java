package io.onceberg.it.soak;

import io.onceberg.it.platform.AuditedPath;
import io.onceberg.it.platform.AuditedTable;
import io.onceberg.it.platform.LocalStack;
import io.onceberg.it.platform.PlatformException;
import io.onceberg.it.platform.Traffic;
import io.onceberg.it.stack.Deadline;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line a minute. */
final class Minutes {
  private static final Logger LOG = LoggerFactory.getLogger(Minutes.class);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final long MOST_BYTES = 5L << 30;
  private static final Duration LONGEST_QUESTION = Duration.ofSeconds(10);

  private final LocalStack stack;
  private final AuditedPath path;
  private final FaultTally tally;
  private final DaemonTally batches;
  private final Traffic traffic;
  private final PrintStream out;

  Minutes(
      LocalStack stack,
      AuditedPath path,
      FaultTally tally,
      DaemonTally batches,
      Traffic traffic,
      PrintStream out) {
    this.stack = stack;
    this.path = path;
    this.tally = tally;
    this.batches = batches;
    this.traffic = traffic;
    this.out = out;
  }

  /**
   * Shows how it goes until the time is up.
   *
   * @throws PlatformException when one of those who run has ended before
   */
  void show(Duration time, List<Future<?>> running) {
    long begun = System.nanoTime();
    for (int minute = 1; minute <= time.toMinutes(); minute++) {
      Duration left = MINUTE.multipliedBy(minute).minusNanos(System.nanoTime() - begun);
      boolean broken = Deadline.in(left).await(() -> running.stream().anyMatch(Future::isDone));
      if (broken) {
        throw new PlatformException("a lane of faults ended early: " + failure(running));
      }
      batches.follow();
      SoakResult.Batches figures = batches.figures();
      long bytes = bytes(stack.home());
      traffic.hold(bytes > MOST_BYTES);
      out.printf(
          "min %3d  faults %,d (%s)  changes %s  rows %s  lag %s  batches %,d, cut off %,d,"
              + " in doubt %,d  disk %,d MB%s%n",
          minute,
          tally.total(),
          tally.summary(),
          figure(path.database()::changes),
          figure(this::rows),
          figure(path::lag),
          figures.committed(),
          figures.cutOff(),
          figures.inDoubt(),
          bytes >> 20,
          bytes > MOST_BYTES ? ", too much: no more changes" : "");
    }
  }

  private static String failure(List<Future<?>> running) {
    return running.stream().filter(Future::isDone).map(Minutes::failure).toList().toString();
  }

  private static String failure(Future<?> lane) {
    try {
      return String.valueOf(lane.get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    } catch (ExecutionException e) {
      LOG.error("a lane of faults failed", e);
      return String.valueOf(e.getCause());
    }
  }

  private long rows() {
    return path.database().tables().stream()
        .map(AuditedTable::name)
        .mapToLong(path.tables()::count)
        .sum();
  }

  private interface Figure {
    long ask() throws SQLException;
  }

  /** A figure, or a question mark when a fault keeps it from being asked for. */
  private static String figure(Figure figure) {
    Deadline deadline = Deadline.in(LONGEST_QUESTION);
    while (true) {
      try {
        return "%,d".formatted(figure.ask());
      } catch (SQLException | RuntimeException e) {
        LOG.debug("no figure", e);
        if (!deadline.pause()) {
          return "?";
        }
      }
    }
  }

  private static long bytes(Path directory) {
    long[] sum = new long[1];
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              sum[0] += attributes.size();
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
              return FileVisitResult.CONTINUE; // deleted meanwhile
            }
          });
      return sum[0];
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
