package io.onceberg.it.bench.keys;

import io.onceberg.it.bench.BenchException;
import io.onceberg.keystore.KeyIndexes;
import io.onceberg.keystore.TaskTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Our lookup alone, as the writing tasks of a batch do it: the identities are divided among as many
 * threads as there are cores.
 */
final class LookupContender implements Contender, AutoCloseable {
  private final Ingest ingest;
  private final EventNumbers numbers;
  private final int threads = Runtime.getRuntime().availableProcessors();
  private final ExecutorService pool = Executors.newFixedThreadPool(threads);
  private final List<List<UnsafeRow>> shares = new ArrayList<>();
  private List<Callable<Integer>> lookups = List.of();
  private int expected;
  private int found;

  LookupContender(Ingest ingest, EventNumbers numbers) {
    this.ingest = ingest;
    this.numbers = numbers;
  }

  @Override
  public Measure measure() {
    return Measure.LOOKUP;
  }

  @Override
  public void prepare(Duplicates duplicates, int batch) {
    shares.clear();
    for (int i = 0; i < threads; i++) {
      shares.add(new ArrayList<>());
    }
    Event event = new Event();
    for (long number : numbers.batch(duplicates, batch)) {
      UnsafeRow identity = event.at(number).identity();
      shares.get(Math.floorMod(identity.hashCode(), threads)).add(identity);
    }
    TaskTarget target = ingest.target().pin();
    lookups =
        shares.stream()
            .<Callable<Integer>>map(
                share -> () -> target.lookup().find(share).stored().cardinality())
            .toList();
    expected = numbers.stored(duplicates);
  }

  @Override
  public void run() {
    try {
      found = 0;
      for (Future<Integer> hits : pool.invokeAll(lookups)) {
        found += hits.get();
      }
    } catch (InterruptedException e) {
      throw BenchException.interrupted(e);
    } catch (ExecutionException e) {
      throw new BenchException("a lookup failed: " + e.getCause(), e.getCause());
    }
  }

  @Override
  public void settle() {
    Contender.check(measure(), "hits", expected, found);
  }

  /**
   * The first lookup of a process, which reads indexes and filters from the files; milliseconds.
   * The operating system has the files at hand.
   */
  double firstMillis() {
    KeyIndexes.forgetAll();
    prepare(Duplicates.NONE, 0);
    long start = System.nanoTime();
    run();
    double millis = (System.nanoTime() - start) / 1e6;
    settle();
    return millis;
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
