package io.onceberg.ingest.dedup;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import scala.Tuple2;

/**
 * The chunks that one writing task received, in the order of the reading tasks and so in the order
 * of topic, partition and offset, whatever order they arrived in.
 */
final class Chunks {
  /** Sees each frame; the view is moved on afterwards. */
  interface Visitor {
    void visit(Frame frame, long pointer);
  }

  static final Chunks NONE = new Chunks(List.of());

  private final List<byte[]> chunks;

  private Chunks(List<byte[]> chunks) {
    this.chunks = chunks;
  }

  /**
   * Takes all chunks.
   *
   * @param exchange the number of the exchange that the tickets received are for; when there is
   *     none, the chunks themselves were received
   */
  static Chunks collect(Iterator<Tuple2<Integer, byte[]>> received, long exchange) {
    List<byte[]> chunks = new ArrayList<>();
    received.forEachRemaining(numbered -> chunks.add(numbered._2()));
    if (exchange != ChunkExchange.NONE) {
      chunks.replaceAll(ChunkExchange.of(exchange)::get);
    }
    chunks.sort(
        Comparator.<byte[]>comparingInt(c -> (int) Frame.INT.get(c, 0))
            .thenComparingInt(c -> (int) Frame.INT.get(c, 4)));
    return new Chunks(chunks);
  }

  /** Chunks in an order of their own. */
  static Chunks of(List<byte[]> chunks) {
    return new Chunks(List.copyOf(chunks));
  }

  void forEach(Visitor visitor) {
    Frame frame = new Frame();
    for (int i = 0; i < chunks.size(); i++) {
      byte[] chunk = chunks.get(i);
      int end = (int) Frame.INT.get(chunk, 8);
      for (int at = FrameWriter.CHUNK_HEADER; at < end; at += frame.length()) {
        visitor.visit(frame.at(chunk, at), (long) i << 32 | at);
      }
    }
  }

  /** Moves a view to the frame that a pointer names. */
  Frame move(Frame frame, long pointer) {
    return frame.at(chunks.get((int) (pointer >>> 32)), (int) pointer);
  }
}
