package io.onceberg.ingest.dedup;

import io.onceberg.error.OncebergException;
import io.onceberg.error.Reaction;
import io.onceberg.ingest.source.KafkaRangeReader;
import io.onceberg.ingest.source.RangeReader;
import io.onceberg.keystore.CrashPoint;
import io.onceberg.keystore.SourceRange;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.PairFlatMapFunction;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * The first half of a batch's job: read, decode, identify. Gives chunks of frames, each with the
 * number of the writing task it goes to. Reads on only as chunks are taken.
 */
public final class ReadStage implements PairFlatMapFunction<Iterator<Integer>, Integer, byte[]> {
  private static final long serialVersionUID = 1L;

  /** Offsets decoded before chunks are handed on. */
  private static final long SLICE_OFFSETS = 16_384;

  private final BatchSpec batch;
  private final List<ReadTask> tasks;

  /**
   * Makes the stage.
   *
   * @param tasks all tasks; the stage is called with their numbers, which travel by any serializer
   */
  public ReadStage(BatchSpec batch, List<ReadTask> tasks) {
    this.batch = batch;
    this.tasks = List.copyOf(tasks);
  }

  @Override
  public Iterator<Tuple2<Integer, byte[]>> call(Iterator<Integer> numbers) {
    return numbers.hasNext()
        ? new Reading(batch, tasks.get(numbers.next()))
        : Collections.emptyIterator();
  }

  /** Hands the records of one slice to their target. */
  private record SliceHandler(TargetReading reading, ReadTask.Part part)
      implements RangeReader.Handler {
    @Override
    public boolean wantsEarlier(ConsumerRecord<byte[], byte[]> first) {
      return reading.wantsEarlier(first, part.undivided());
    }

    @Override
    public boolean earlier(List<ConsumerRecord<byte[], byte[]>> window) {
      return reading.earlier(window);
    }

    @Override
    public void accept(ConsumerRecord<byte[], byte[]> record) {
      reading.accept(record, part);
    }
  }

  /** One task's reading, driven by whoever takes its chunks. */
  private static final class Reading implements Iterator<Tuple2<Integer, byte[]>> {
    private final BatchSpec batch;
    private final RangeReader reader;
    private final FrameWriter[] writers;
    private final @Nullable ChunkExchange exchange;
    private final @Nullable TargetReading[] readings;
    private final ArrayDeque<Tuple2<Integer, byte[]>> ready = new ArrayDeque<>();
    private final ArrayDeque<ReadTask.Part> parts;
    private long position = -1;
    private boolean finished;

    Reading(BatchSpec batch, ReadTask task) {
      this.batch = batch;
      this.parts = new ArrayDeque<>(task.parts());
      this.reader = new KafkaRangeReader(batch.consumer(), batch.pollTimeout());
      this.exchange =
          batch.exchange() == ChunkExchange.NONE ? null : ChunkExchange.of(batch.exchange());
      this.writers = new FrameWriter[batch.writers()];
      for (int i = 0; i < writers.length; i++) {
        writers[i] = new FrameWriter(task.number(), exchange != null);
      }
      this.readings = new TargetReading[batch.targets().size()];
      TaskContext context = TaskContext.get();
      if (context != null) {
        context.addTaskCompletionListener((TaskCompletionListener) done -> close());
      }
    }

    @Override
    public boolean hasNext() {
      while (ready.isEmpty() && !finished) {
        if (parts.isEmpty()) {
          finish();
        } else {
          readSlice(parts.getFirst());
        }
        collectFull();
      }
      return !ready.isEmpty();
    }

    @Override
    public Tuple2<Integer, byte[]> next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return ready.removeFirst();
    }

    private void readSlice(ReadTask.Part part) {
      SourceRange range = part.range();
      TargetReading reading = reading(part.target());
      if (reading.isSettled()) {
        endPart();
        return;
      }
      if (position < 0) {
        position = range.from();
        reading.beginRange();
      }
      long until = Math.min(range.until(), position + SLICE_OFFSETS);
      try {
        reader.read(
            new SourceRange(range.partition(), range.topicId(), position, until),
            new SliceHandler(reading, part));
      } catch (OncebergException e) {
        if (e.code().reaction() != Reaction.STOP_TARGET) {
          throw e;
        }
        reading.fail(e.code(), e.detail());
      }
      CrashPoint.READ.reached();
      position = until;
      if (position >= range.until()) {
        endPart();
      }
    }

    private void endPart() {
      parts.removeFirst();
      position = -1;
    }

    private TargetReading reading(int target) {
      TargetReading reading = readings[target];
      if (reading == null) {
        reading = new TargetReading(batch, target, writers);
        readings[target] = reading;
      }
      return reading;
    }

    private void finish() {
      for (TargetReading reading : readings) {
        if (reading != null) {
          reading.finish();
        }
      }
      for (FrameWriter writer : writers) {
        writer.flush();
      }
      finished = true;
    }

    private void collectFull() {
      for (int i = 0; i < writers.length; i++) {
        for (byte[] chunk = writers[i].pollFull(); chunk != null; chunk = writers[i].pollFull()) {
          ready.add(new Tuple2<>(i, exchange == null ? chunk : exchange.put(chunk)));
        }
      }
    }

    private void close() {
      for (TargetReading reading : readings) {
        if (reading != null) {
          reading.close();
        }
      }
      reader.close();
    }
  }
}
