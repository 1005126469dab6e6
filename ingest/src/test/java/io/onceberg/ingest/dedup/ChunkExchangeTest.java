package io.onceberg.ingest.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.error.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

class ChunkExchangeTest {
  private static final int TASK = 3;

  /** Small values, one that fills most of a chunk, one that is larger than any. */
  private static final int[] VALUE_BYTES = {10, 200_000, 10, 400_000, 100, 262_144, 7};

  @Test
  void framesAreTheSameHandedOverOrCopied() {
    try (ChunkExchange exchange = ChunkExchange.open()) {
      List<String> handedOver = frames(tickets(exchange, written(true)), exchange.number());
      assertThat(handedOver)
          .hasSize(VALUE_BYTES.length)
          .isEqualTo(frames(numbered(written(false)), ChunkExchange.NONE));
    }
  }

  @Test
  void aTicketIsGoodForASecondTry() {
    try (ChunkExchange exchange = ChunkExchange.open()) {
      List<Tuple2<Integer, byte[]>> tickets = tickets(exchange, written(true));
      List<String> first = frames(tickets, exchange.number());
      assertThat(frames(tickets, exchange.number())).isEqualTo(first);
    }
  }

  @Test
  void chunksOfAJobThatSucceededAreUsedAgain() {
    byte[] chunk = ChunkPool.SHARED.take();
    exchange(chunk, true);
    assertThat(ChunkPool.SHARED.take()).isSameAs(chunk);
  }

  @Test
  void aFailedJobsChunksAreNot() {
    byte[] chunk = ChunkPool.SHARED.take();
    exchange(chunk, false);
    assertThat(ChunkPool.SHARED.take()).isNotSameAs(chunk);
  }

  @Test
  void aTaskThatOutlivesItsJobIsTold() {
    ChunkExchange exchange = ChunkExchange.open();
    exchange.close();
    long number = exchange.number();
    assertThatThrownBy(() -> ChunkExchange.of(number)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void thePoolKeepsNoMoreThanItIsTold() {
    ChunkPool pool = new ChunkPool(1);
    byte[] kept = new byte[ChunkPool.CHUNK_BYTES];
    pool.give(new byte[5]);
    pool.give(kept);
    pool.give(new byte[ChunkPool.CHUNK_BYTES]);
    assertThat(pool.take()).isSameAs(kept);
    assertThat(pool.take()).isNotSameAs(kept);
  }

  private static void exchange(byte[] chunk, boolean succeeds) {
    try (ChunkExchange exchange = ChunkExchange.open()) {
      exchange.put(chunk);
      if (succeeds) {
        exchange.recycle();
      }
    }
  }

  private static List<byte[]> written(boolean handOver) {
    FrameWriter writer = new FrameWriter(TASK, handOver);
    for (int i = 0; i < VALUE_BYTES.length; i++) {
      byte[] value = new byte[VALUE_BYTES[i]];
      Arrays.fill(value, (byte) i);
      writer.quarantine(
          new Coordinates(0, 0, 0, i),
          ErrorCode.UNDECODABLE,
          "detail " + i,
          new byte[16],
          i,
          null,
          value);
    }
    writer.flush();
    List<byte[]> chunks = new ArrayList<>();
    for (byte @Nullable [] chunk = writer.pollFull(); chunk != null; chunk = writer.pollFull()) {
      chunks.add(chunk);
    }
    return chunks;
  }

  private static List<Tuple2<Integer, byte[]>> numbered(List<byte[]> chunks) {
    return chunks.stream().map(chunk -> new Tuple2<>(0, chunk)).toList();
  }

  private static List<Tuple2<Integer, byte[]>> tickets(
      ChunkExchange exchange, List<byte[]> chunks) {
    return numbered(chunks.stream().map(exchange::put).toList());
  }

  private static List<String> frames(List<Tuple2<Integer, byte[]>> received, long exchange) {
    List<String> frames = new ArrayList<>();
    Iterator<Tuple2<Integer, byte[]>> iterator = received.iterator();
    Chunks.collect(iterator, exchange)
        .forEach(
            (frame, pointer) ->
                frames.add(
                    "%d %s %d"
                        .formatted(
                            frame.offset(),
                            frame.text(Frame.DETAIL),
                            Arrays.hashCode(frame.bytes(Frame.RAW_VALUE)))));
    return frames;
  }
}
