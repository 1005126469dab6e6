package io.onceberg.ingest.dedup;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import scala.Tuple2;

/**
 * The second half of a batch's job: make unique, anti-join, write the files of all three tables.
 * Gives one serialised {@link WriteResult} for each target that had anything.
 */
public final class WriteStage
    implements FlatMapFunction<Iterator<Tuple2<Integer, byte[]>>, byte[]> {
  private static final long serialVersionUID = 1L;

  private final BatchSpec batch;

  public WriteStage(BatchSpec batch) {
    this.batch = batch;
  }

  @Override
  public Iterator<byte[]> call(Iterator<Tuple2<Integer, byte[]>> chunks) {
    PolledBatch polled = PolledBatch.of(batch, Chunks.collect(chunks, batch.exchange()));
    UniqueBatch unique = UniqueBatch.of(polled);
    TaskContext context = TaskContext.get();
    List<byte[]> results = new ArrayList<>();
    for (int target = 0; target < batch.targets().size(); target++) {
      TargetWriting writing =
          new TargetWriting(unique, target, context.partitionId(), context.taskAttemptId());
      results.add(Serialised.write(writing.write()));
    }
    return results.iterator();
  }
}
