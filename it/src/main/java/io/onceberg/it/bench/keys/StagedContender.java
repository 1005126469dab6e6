package io.onceberg.it.bench.keys;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.keystore.StagedFiles;
import io.onceberg.keystore.TaskTarget;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.iceberg.DataFile;
import org.apache.spark.api.java.JavaRDD;
import org.jspecify.annotations.Nullable;

/**
 * A batch whose rows are in memory already: what is left of the engine's work is the lookup, the
 * files and the commit. Reading and decoding, which every pipeline has to do, would hide how much
 * of it is deduplication.
 */
final class StagedContender implements Contender {
  private final Ingest ingest;
  private final EventNumbers numbers;
  private final TargetState state;
  private final boolean plainAppend;
  private @Nullable JavaRDD<StagedRows> batch;
  private int expected;
  private long added;

  StagedContender(Ingest ingest, EventNumbers numbers, TargetState state, boolean plainAppend) {
    this.ingest = ingest;
    this.numbers = numbers;
    this.state = state;
    this.plainAppend = plainAppend;
  }

  @Override
  public Measure measure() {
    return plainAppend ? Measure.STAGED_APPEND : Measure.STAGED_BATCH;
  }

  @Override
  public void prepare(Duplicates duplicates, int number) {
    long[] events = numbers.batch(duplicates, number);
    TaskTarget target = ingest.target().pin();
    DedupPolicy policy = ingest.policy();
    int shares = ingest.context().defaultParallelism();
    JavaRDD<StagedRows> staged =
        ingest
            .context()
            .parallelize(IntStream.range(0, shares).boxed().toList(), shares)
            .map(share -> StagedRows.of(target, policy, Ingest.TODAY, events, share, shares))
            .cache();
    staged.foreach(rows -> {});
    batch = staged;
    expected = plainAppend ? numbers.batchRows() : numbers.novel(duplicates);
  }

  @Override
  public void run() {
    JavaRDD<StagedRows> staged = batch;
    if (staged == null) {
      throw new IllegalStateException("not prepared");
    }
    TaskTarget target = ingest.target().pin();
    boolean plain = plainAppend;
    List<byte[]> written = staged.map(rows -> rows.write(target, Ingest.TODAY, plain)).collect();
    StagedFiles files = Parts.all(written);
    TargetBuild.commit(ingest.target(), files);
    added = files.rows().stream().mapToLong(DataFile::recordCount).sum();
  }

  @Override
  public void settle() {
    Contender.check(measure(), "rows added", expected, added);
    if (batch != null) {
      batch.unpersist();
      batch = null;
    }
    state.restore();
    ingest.target().refresh();
  }
}
