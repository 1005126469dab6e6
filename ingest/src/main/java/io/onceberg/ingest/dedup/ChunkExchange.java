package io.onceberg.ingest.dedup;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where one job's chunks lie between its stages when both run in this process: Spark then moves
 * tickets instead of the chunks' bytes. A ticket stays good until the exchange is closed, so that a
 * task can be tried again.
 */
public final class ChunkExchange implements AutoCloseable {
  /** The number that stands for no exchange: chunks travel through Spark's shuffle. */
  static final long NONE = 0;

  private static final AtomicLong LAST = new AtomicLong(NONE);
  private static final Map<Long, ChunkExchange> OPEN = new ConcurrentHashMap<>();

  private final long number = LAST.incrementAndGet();
  private final AtomicInteger tickets = new AtomicInteger();
  private final Map<Integer, byte[]> chunks = new ConcurrentHashMap<>();
  private boolean recycled;

  private ChunkExchange() {}

  /** Opens the exchange of one job. */
  public static ChunkExchange open() {
    ChunkExchange exchange = new ChunkExchange();
    OPEN.put(exchange.number, exchange);
    return exchange;
  }

  /**
   * The exchange of a number.
   *
   * @throws IllegalStateException when its job has ended
   */
  static ChunkExchange of(long number) {
    ChunkExchange exchange = OPEN.get(number);
    if (exchange == null) {
      throw new IllegalStateException("the job of chunk exchange " + number + " has ended");
    }
    return exchange;
  }

  /** What tasks know this exchange by. */
  public long number() {
    return number;
  }

  /** Lays down a chunk and gives the ticket for it. */
  byte[] put(byte[] chunk) {
    int ticket = tickets.getAndIncrement();
    chunks.put(ticket, chunk);
    byte[] written = new byte[Integer.BYTES];
    Frame.INT.set(written, 0, ticket);
    return written;
  }

  /** The chunk of a ticket. */
  byte[] get(byte[] ticket) {
    byte[] chunk = chunks.get((int) Frame.INT.get(ticket, 0));
    if (chunk == null) {
      throw new IllegalStateException("chunk exchange " + number + " has no such ticket");
    }
    return chunk;
  }

  /**
   * Lets the chunks be used again when the exchange is closed. Only for a job that has succeeded: a
   * task of a failed one may still be reading.
   */
  public void recycle() {
    recycled = true;
  }

  /** Ends the exchange; its tickets are void. */
  @Override
  public void close() {
    OPEN.remove(number);
    if (recycled) {
      chunks.values().forEach(ChunkPool.SHARED::give);
    }
    chunks.clear();
  }
}
