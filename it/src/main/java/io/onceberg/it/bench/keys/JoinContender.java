package io.onceberg.it.bench.keys;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/**
 * What one does without a lookup: Spark's anti-join of the batch's keys, which lie in memory, with
 * all stored ones.
 */
final class JoinContender implements Contender {
  private final Ingest ingest;
  private final EventNumbers numbers;
  private final Measure measure;
  private final String table;
  private @Nullable Dataset<Row> batch;
  private int expected;
  private long novel;

  private JoinContender(Ingest ingest, EventNumbers numbers, Measure measure, String table) {
    this.ingest = ingest;
    this.numbers = numbers;
    this.measure = measure;
    this.table = table;
  }

  static JoinContender withKeys(Ingest ingest, EventNumbers numbers) {
    return new JoinContender(ingest, numbers, Measure.LEFT_ANTI_KEYS, Ingest.EVENTS + "_keys");
  }

  static JoinContender withTarget(Ingest ingest, EventNumbers numbers) {
    return new JoinContender(ingest, numbers, Measure.LEFT_ANTI_TARGET, Ingest.EVENTS.toString());
  }

  @Override
  public Measure measure() {
    return measure;
  }

  @Override
  public void prepare(Duplicates duplicates, int number) {
    Event event = new Event();
    List<String> keys = new ArrayList<>(numbers.batchRows());
    for (long each : numbers.batch(duplicates, number)) {
      keys.add(event.at(each).id());
    }
    Dataset<Row> cached =
        ingest.spark().createDataset(keys, Encoders.STRING()).toDF(Event.KEY).cache();
    cached.count();
    cached.createOrReplaceTempView("batch_keys");
    batch = cached;
    expected = numbers.novel(duplicates);
  }

  @Override
  public void run() {
    novel =
        ingest
            .spark()
            .sql(
                "SELECT count(*) FROM batch_keys b LEFT ANTI JOIN %s k ON b.%s = k.%s"
                    .formatted(table, Event.KEY, Event.KEY))
            .head()
            .getLong(0);
  }

  @Override
  public void settle() {
    Contender.check(measure, "new keys", expected, novel);
    if (batch != null) {
      batch.unpersist();
      batch = null;
    }
  }
}
