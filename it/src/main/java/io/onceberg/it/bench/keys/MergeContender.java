package io.onceberg.it.bench.keys;

import org.apache.spark.sql.Row;

/** MERGE INTO the target, which inserts what does not match; the batch lies in Parquet files. */
final class MergeContender implements Contender {
  private final Ingest ingest;
  private final EventNumbers numbers;
  private final BatchFiles files;
  private final TargetState state;
  private int expected;

  MergeContender(Ingest ingest, EventNumbers numbers, BatchFiles files, TargetState state) {
    this.ingest = ingest;
    this.numbers = numbers;
    this.files = files;
    this.state = state;
  }

  @Override
  public Measure measure() {
    return Measure.MERGE_TARGET;
  }

  @Override
  public void prepare(Duplicates duplicates, int batch) {
    files.read(duplicates, batch).createOrReplaceTempView("batch_rows");
    expected = numbers.novel(duplicates);
  }

  @Override
  public void run() {
    ingest
        .spark()
        .sql(
            "MERGE INTO %s t USING batch_rows s ON t.%s = s.%s WHEN NOT MATCHED THEN INSERT *"
                .formatted(Ingest.EVENTS, Event.KEY, Event.KEY));
  }

  @Override
  public void settle() {
    Row total =
        ingest
            .spark()
            .sql(
                "SELECT summary['total-records'] FROM %s.snapshots ORDER BY committed_at DESC LIMIT 1"
                    .formatted(Ingest.EVENTS))
            .head();
    long rows = Long.parseLong(total.getString(0));
    Contender.check(measure(), "rows added", expected, rows - numbers.keys());
    state.restore();
    ingest.target().refresh();
  }
}
