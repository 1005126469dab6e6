package io.onceberg.ingest.dedup;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Chunks of one size that batches of this process use again. A batch's chunks outlive the young
 * generation: made anew for each batch, the collector would copy every one of them.
 */
final class ChunkPool {
  /** The size of a pooled chunk. */
  static final int CHUNK_BYTES = 256 * 1024;

  static final ChunkPool SHARED =
      new ChunkPool((int) (Runtime.getRuntime().maxMemory() / 8 / CHUNK_BYTES));

  private final int most;
  private final AtomicInteger size = new AtomicInteger();
  private final ConcurrentLinkedDeque<byte[]> free = new ConcurrentLinkedDeque<>();

  /**
   * A pool that is empty at first.
   *
   * @param most chunks kept for later use
   */
  ChunkPool(int most) {
    this.most = most;
  }

  /** A chunk with anything in it. */
  byte[] take() {
    byte @Nullable [] chunk = free.pollFirst();
    if (chunk == null) {
      return new byte[CHUNK_BYTES];
    }
    size.decrementAndGet();
    return chunk;
  }

  /** Takes a chunk back that nobody reads any more; those of another size are let go. */
  void give(byte[] chunk) {
    if (chunk.length != CHUNK_BYTES) {
      return;
    }
    if (size.incrementAndGet() > most) {
      size.decrementAndGet();
      return;
    }
    free.addFirst(chunk);
  }
}
